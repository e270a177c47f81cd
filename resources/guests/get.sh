# Prints the beginning of a file. stdin: its path, the most bytes. The exit code is 3 if there is none.

IFS= read -r path && IFS= read -r most || exit 2
case $most in '' | *[!0-9]*) exit 2 ;; esac
[ -f "$path" ] || exit 3
head -c "$most" "$path"
