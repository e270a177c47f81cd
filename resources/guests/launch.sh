# Starts run.sh in its folder, apart from this connection. stdin: the folder's path.

IFS= read -r folder || exit 2
cd "$folder" || exit 3
[ -f run.sh ] || exit 3
if command -v setsid >/dev/null 2>&1; then
    setsid sh ./run.sh < /dev/null > launch 2>&1 &
else
    nohup sh ./run.sh < /dev/null > launch 2>&1 &
fi
echo started
