# Prints what the kernel counts, every $1 seconds at whole multiples of the time since the boot. It only reads,
# and takes nothing but that number. Each line of a file begins with the file's name, as grep prints it.
# With "kept" as $2, tools_watch.sh has said before what becomes of the lines (give), and how it waits (rest).
LC_ALL=C
export LC_ALL
every=$1
mark=hyperscope-guest
about() {
echo "$mark about"
echo "kernel:$(uname -sr)"
echo "machine:$(uname -m)"
echo "name:$(uname -n)"
echo "page:$(getconf PAGESIZE 2>/dev/null)"
grep -s '^PRETTY_NAME=' /etc/os-release
grep -s '' /dev/null /sys/class/dmi/id/product_uuid /sys/class/dmi/id/product_serial /sys/class/dmi/id/sys_vendor \
  /sys/class/dmi/id/product_name /sys/class/net/*/address /sys/class/net/*/speed /sys/block/*/size \
  /sys/block/*/device/wwid /sys/block/*/wwid /sys/block/*/device/serial /sys/block/*/serial
}
sample() {
echo "$mark sample"
echo "clock:$(date +%s%N)"
grep -sv '^intr ' /proc/uptime /proc/sys/kernel/random/boot_id /proc/stat /proc/loadavg /proc/meminfo /proc/vmstat \
  /proc/diskstats /proc/net/dev /proc/pressure/cpu /proc/pressure/memory /proc/pressure/io
echo "$mark end"
}
frame() {
[ "$number" -ne 0 ] || about
sample
}
[ "$2" = kept ] || {
give() { "$@"; }
rest() { sleep "$1" 2>/dev/null || sleep "$2"; }
}
number=0
least=$((every * 50))
while :; do
give frame
number=$(((number + 1) % 60))
read -r up idle </proc/uptime
part=${up#*.}
now=$((${up%.*} * 100 + ${part#0}))
left=$((every * 100 - now % (every * 100)))
[ "$left" -ge "$least" ] || left=$((left + every * 100))
least=10
part=$((left % 100))
[ "$part" -ge 10 ] || part=0$part
rest "$((left / 100)).$part" "$(((left + 99) / 100))" || exit 1
done
