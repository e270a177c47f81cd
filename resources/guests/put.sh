# Writes a file, which appears when it is whole. stdin: its path, its mode, then its content to the end.

umask 077
IFS= read -r path && IFS= read -r mode || exit 2
case $mode in 600 | 700) ;; *) exit 2 ;; esac
cat > "$path.new" && chmod "$mode" "$path.new" && mv -f "$path.new" "$path" && echo put
