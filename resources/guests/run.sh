# Runs one fio job in a guest, unattended: waits for the agreed instant, watches whether the controller still listens,
# ends the job when it does not, and writes what became of it to `rc`, last and by renaming.
# For any POSIX shell; started in its own folder. Everything that it is told stands in the files beside it:
#   settings  lines "name value": silence_s interval_s start_ms wait_s free_kb fio
#   disks     a line for each disk or file of the job, see disks.sh
#   job.fio   the job; alive changes as long as the controller listens; stop ends the job
# It writes: pid, out, err, fio.json, part.1 part.2 ... (pieces of fio.json, in order), state, rc.

trap '' HUP
umask 077
LC_ALL=C
PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL PATH
here=$(pwd -P)
. ./disks.sh

mkdir running 2>/dev/null || exit 0

write() { printf '%s\n' "$2" > "$1.new" && mv -f "$1.new" "$1"; }

finish() { # exit code, word, detail; its file was made before, since a full disk takes no new one
    rm -f reserve
    if [ -f last ]; then printf '%s\n' "$1 $2 $3" 1<> last && mv -f last rc; else write rc "$1 $2 $3"; fi
    exit 0
}

silence_s=30 interval_s=5 free_kb=16384 fio=fio
while read -r name value; do
    case $name in
    fio) [ -x "$value" ] && fio=$value ;;
    silence_s | interval_s | free_kb)
        case $value in '' | *[!0-9]*) finish 2 broken settings ;; esac
        case $name in
        silence_s) silence_s=$value ;;
        interval_s) interval_s=$value ;;
        free_kb) free_kb=$value ;;
        esac
        ;;
    esac
done < settings

uptime_s() {
    if [ -r /proc/uptime ]; then
        read -r up _ < /proc/uptime
        up=${up%.*}
    else
        up=$((up + 1))
    fi
}

started_at() { # pid: when the process began, by its system's clock of ticks
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

is_ours() { # the process still is the one that was started here
    [ -n "$work" ] && [ "$(started_at "$work")" = "$began" ]
}

end_work() {
    is_ours || return
    kill -TERM -- "-$work" 2>/dev/null || kill -TERM "$work" 2>/dev/null
    for _ in 1 2 3 4 5; do
        sleep 1
        kill -0 "$work" 2>/dev/null || return
    done
    is_ours || return
    kill -KILL -- "-$work" 2>/dev/null || kill -KILL "$work" 2>/dev/null
}

cut=0 part=0
cut_part() { # what fio wrote since the last time becomes the next part
    [ -f fio.json ] || return
    size=$(wc -c < fio.json)
    [ $((size)) -gt $cut ] || return
    if tail -c +$((cut + 1)) fio.json | head -c $((size - cut)) > part.new && mv -f part.new part.$((part + 1)); then
        part=$((part + 1)) cut=$((size))
    else
        rm -f part.new
    fi
}

guard() { # ends the job if this launcher is killed, which nothing else would notice without a controller
    trap '' TERM INT
    while [ "$(started_at "$1")" = "$2" ]; do sleep 2; done
    [ -f rc ] && return
    work='' began=''
    [ -f pid ] && read -r work began _ < pid
    is_ours && { kill -KILL -- "-$work" 2>/dev/null || kill -KILL "$work" 2>/dev/null; }
}

work='' began='' why=''
trap 'why=stopped; end_work' TERM INT

objection=$(check_all < disks)
[ -z "$objection" ] || finish 90 refused "$(printf '%s' "$objection" | tr '\n' ';')"

dd if=/dev/zero of=reserve bs=1024 count=64 2>/dev/null || finish 91 full ''
dd if=/dev/zero bs=512 count=1 2>/dev/null | tr '\000' '\n' > last || finish 91 full ''
set -- --output-format=json+ --output="$here/fio.json" --status-interval="$interval_s" "$here/job.fio"
if command -v setsid >/dev/null 2>&1; then
    setsid "$fio" "$@" < /dev/null > out 2> err &
else
    "$fio" "$@" < /dev/null > out 2> err &
fi
work=$!
began=$(started_at "$work")
self=$(started_at $$)
write launcher "$$ $self"
guard $$ "$self" > /dev/null 2>&1 &
write pid "$work $began $fio $*"
write state working

up=0
uptime_s
heard=$up seen='' ticks=0
while kill -0 "$work" 2>/dev/null; do
    sleep 1
    uptime_s
    beat=''
    [ -r alive ] && IFS= read -r beat < alive
    [ "$beat" = "$seen" ] || { seen=$beat heard=$up; }
    allowed=$silence_s
    [ -n "$seen" ] || allowed=$((silence_s * 3 / 2)) # until the first sign: a hundred are started one after the other
    [ -e stop ] && why=stopped
    [ $((up - heard)) -ge "$allowed" ] && why=silent
    ticks=$((ticks + 1))
    if [ $((ticks % 5)) = 0 ]; then
        free=$(df -Pk . | { read -r _; read -r _ _ _ free _; echo "$free"; })
        [ "${free:-$free_kb}" -ge "$free_kb" ] || why=full
    fi
    [ -z "$why" ] || { rm -f reserve; end_work; }
    cut_part
done
wait "$work"
code=$?
rm -f reserve
cut_part
[ -e late ] && finish 92 late ''
if [ -e refused ]; then
    IFS= read -r objection < refused
    finish 90 refused "$objection"
fi
finish "$code" "${why:-ended}" "$part"
