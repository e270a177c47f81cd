# Tells what this guest is and has, one fact a line. Put behind disks.sh. stdin: the folder where runs will be; a fio of
# our own, or an empty line.

LC_ALL=C
PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL PATH
IFS= read -r folder || exit 2
IFS= read -r own
fio=fio
[ -n "$own" ] && [ -x "$own" ] && fio=$own
printf 'system %s\n' "$(uname -s)"
printf 'fio %s\n' "$("$fio" --version 2>/dev/null | head -n 1)"
"$fio" --enghelp 2>/dev/null | while read -r engine _; do
    case $engine in *[!a-z0-9_-]*) ;; *) printf 'engine %s\n' "$engine" ;; esac
done
printf 'cpus %s\n' "$(getconf _NPROCESSORS_ONLN 2>/dev/null || nproc 2>/dev/null || grep -c ^processor /proc/cpuinfo)"
printf 'free_kb %s\n' "$(df -Pk "$folder" | { read -r _; read -r _ _ _ free _; echo "$free"; })"
[ -r /proc/sys/kernel/random/boot_id ] && { IFS= read -r boot < /proc/sys/kernel/random/boot_id; echo "boot $boot"; }
list_disks
echo end
