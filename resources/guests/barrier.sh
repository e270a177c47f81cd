# fio runs this in each job before its first I/O (exec_prerun): it returns at the agreed instant of the guest's clock.
# Nothing but this wait lies between: fio has read its job and made its threads and files.

cd "${0%/*}" || exit 1
LC_ALL=C
PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL PATH
start_ms=0 wait_s=0
while read -r name value; do
    case $name in
    start_ms) start_ms=$value ;;
    wait_s) wait_s=$value ;;
    esac
done < settings

left_ms() {
    now=$(date +%s%N)
    case $now in
    *[!0-9]* | ??????????) now=$(date +%s)000 ;;
    *) now=${now%??????} ;;
    esac
    left=$((start_ms - now))
}

waited=0
wait_1s() { # a clock that is set back meanwhile would make this wait without end
    sleep 1
    [ -e stop ] && exit 1
    waited=$((waited + 1))
    if [ "$wait_s" -gt 0 ] && [ $waited -gt "$wait_s" ]; then
        : > late
        exit 1
    fi
    left_ms
}

left_ms
while [ $left -gt 3000 ]; do wait_1s; done
if mkdir checked 2>/dev/null; then
    . ./disks.sh
    objection=$(check_all < disks)
    if [ -n "$objection" ]; then
        printf '%s\n' "$(printf '%s' "$objection" | tr '\n' ';')" > refused
        exit 1
    fi
    left_ms
    printf '%s\n' "$left" > margin
fi
while [ $left -gt 1500 ]; do wait_1s; done
[ -e stop ] && exit 1
left_ms
if [ $left -gt 0 ]; then
    milli=00$((left % 1000))
    sleep "$((left / 1000)).${milli#"${milli%???}"}" 2>/dev/null || while [ $left -gt 0 ]; do left_ms; done
fi
while [ ! -e margin ]; do # another job of this fio still looks at the disks
    [ -e refused ] && exit 1
    sleep 0.1 2>/dev/null || sleep 1
done
[ ! -e refused ]
