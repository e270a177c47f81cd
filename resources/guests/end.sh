# Ends the job of a folder, and removes the folder if told so. stdin: the folder's path; "stop" or "remove".
# It kills only the process that run.sh started: its number, the instant when it began and its command must be the same.

PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH
IFS= read -r folder && IFS= read -r what || exit 2
case ${folder##*/} in hyperscope-*[!0-9a-f]*) exit 2 ;; hyperscope-????????????*) ;; *) exit 2 ;; esac
[ -e "$folder" ] || { echo gone; exit 0; }
if [ -L "$folder" ] || [ ! -d "$folder" ] || [ ! -O "$folder" ] || [ ! -f "$folder/hyperscope" ]; then exit 3; fi
cd "$folder" || exit 3

started_at() {
    if [ -r "/proc/$1/stat" ]; then
        IFS= read -r stat < "/proc/$1/stat" || return
        stat=${stat##*) }
        # shellcheck disable=SC2086 # the words are what is wanted
        set -- $stat
        printf '%s\n' "${20}"
    else
        ps -o lstart= -p "$1" 2>/dev/null
    fi
}

is_ours() {
    [ -n "$pid" ] && [ -n "$began" ] && [ "$(started_at "$pid")" = "$began" ] || return 1
    if [ -r "/proc/$pid/cmdline" ]; then
        tr '\000' ' ' < "/proc/$pid/cmdline" | grep -qF "$folder/job.fio"
    else
        ps -o args= -p "$pid" | grep -qF "$folder/job.fio"
    fi
}

: > stop
pid='' began=''
tries=0
while [ -d running ] && [ ! -f rc ] && [ $tries -lt 9 ]; do
    sleep 1
    tries=$((tries + 1))
done
[ -f pid ] && read -r pid began _ < pid
case $pid in *[!0-9]*) pid='' ;; esac
if is_ours; then
    kill -KILL -- "-$pid" 2>/dev/null || kill -KILL "$pid" 2>/dev/null
    sleep 1
    if is_ours; then echo alive; exit 0; fi
fi
[ "$what" = remove ] || { echo stopped; exit 0; }
cd /
rm -rf "$folder" && echo gone
