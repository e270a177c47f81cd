# Makes a new folder with text files in it. stdin: the folder's path; then for each file a line with its name, a line
# with the number of its lines, and these.

umask 077
IFS= read -r folder || exit 2
mkdir "$folder" || exit 3
cd "$folder" || exit 3
: > hyperscope
while IFS= read -r name && IFS= read -r count; do
    case $name in '' | *[!a-z0-9.]*) exit 4 ;; esac
    while [ "$count" -gt 0 ]; do
        IFS= read -r line || exit 5
        printf '%s\n' "$line" || exit 6
        count=$((count - 1))
    done > "$name" || exit 6
done
echo made
