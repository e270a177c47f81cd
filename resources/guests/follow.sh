# Answers the controller's questions about a running job, over one lasting connection. stdin: the folder's path; then for
# each question a line with a number that never comes twice, and the number of the last part that the controller has.
# Each question renews `alive`. The answer: lines "state ...", "rc ...", "part NUMBER BYTES" followed by these bytes, "end".

umask 077
IFS= read -r folder || exit 2
is_alive() { # pid, the instant when it began
    [ -r /proc/self/stat ] || return 0
    [ -r "/proc/$1/stat" ] && IFS= read -r stat < "/proc/$1/stat" || return 1
    stat=${stat##*) }
    began=$2
    # shellcheck disable=SC2086 # the words are what is wanted
    set -- $stat
    [ "${20}" = "$began" ]
}

while IFS=' ' read -r beat have; do
    case $beat$have in '' | *[!0-9]*) exit 2 ;; esac
    if cd "$folder" 2>/dev/null; then
        printf '%s\n' "$beat" > alive.new && mv -f alive.new alive
        state='' ending=''
        [ -f state ] && IFS= read -r state < state
        if [ -f launcher ]; then
            read -r pid start < launcher
            is_alive "$pid" "$start" || state=dead
        fi
        [ -f rc ] && { IFS= read -r ending < rc; state=done; }
        last=$((have + 8))
        part=$((have + 1))
        printf 'state %s\n' "$state"
        [ -z "$ending" ] || [ -f "part.$((last + 1))" ] || printf 'rc %s\n' "$ending"
        while [ $part -le $last ] && [ -f "part.$part" ]; do
            size=$(wc -c < "part.$part")
            printf 'part %s %s\n' "$part" "$((size))"
            cat "part.$part"
            part=$((part + 1))
        done
        cd /
    else
        echo 'state gone'
    fi
    echo "end $beat"
done
