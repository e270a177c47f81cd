# Runs watch.sh for VMware Tools, which carry no output: what it prints is kept in files part.1, part.2 ... of this folder,
# each whole when it appears. Whoever fetches one deletes it; when too many are left, nobody listens, and this ends.
# However it ends, it removes its folder and nothing else. For any POSIX shell; started in its own folder.
# The file "settings" has a line: seconds between samples, samples in a part, parts that may be left.
trap '' HUP
umask 077
here=$(pwd -P)
nap=''
finish() {
    trap '' TERM INT
    [ -z "$nap" ] || kill "$nap" 2>/dev/null
    cd / || exit 1
    rm -f -- "$here"/part.* "$here/tools_watch.sh" "$here/watch.sh" "$here/settings"
    rmdir -- "$here" 2>/dev/null
    exit 0
}
trap finish TERM INT
interval='' per_part='' most=''
read -r interval per_part most < settings
for number in "$interval" "$per_part" "$most"; do
    case $number in '' | *[!0-9]*) finish ;; esac
done
cut=0 kept=0
give() { # the first two samples are parts by themselves: rates need two, and somebody waits
    "$@" >> part.new || finish
    kept=$((kept + 1))
    [ "$cut" -lt 2 ] || [ "$kept" -ge "$per_part" ] || return 0
    mv -f part.new "part.$((cut + 1))" || finish
    cut=$((cut + 1)) kept=0
    set -- part.*
    [ $# -le "$most" ] || finish
}
nap() { # in the background, so that a signal is heard at once
    sleep "$1" 2>/dev/null &
    nap=$!
    wait "$nap"
}
rest() {
    nap "$1" || nap "$2"
    nap=''
    [ -d "$here" ] || finish
}
set -- "$interval" kept
. ./watch.sh
finish
