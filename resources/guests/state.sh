# Prints what a folder is: "folder" if it is there, "process PID START COMMAND" if its job runs. stdin: its path.

IFS= read -r folder || exit 2
[ -f "$folder/hyperscope" ] || exit 0
echo folder
[ -f "$folder/pid" ] || exit 0
read -r pid began command < "$folder/pid" || exit 0
case $pid in '' | *[!0-9]*) exit 0 ;; esac
[ -r "/proc/$pid/stat" ] || exit 0
IFS= read -r stat < "/proc/$pid/stat" || exit 0
stat=${stat##*) }
# shellcheck disable=SC2086 # the words are what is wanted
set -- $stat
[ "${20}" = "$began" ] || exit 0
[ "$1" = Z ] || printf 'process %s %s %s\n' "$pid" "$began" "$command"
