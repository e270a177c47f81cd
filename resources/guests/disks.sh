# What a guest's disks are, and what speaks against writing to them. For any POSIX shell; it is read with `.`.
# It answers in words that workloads/guests/disks.py knows; every doubt is an objection.

readable() { dd if="$1" of=/dev/null bs=512 count=1 2>/dev/null; }

dump() { # device, offset, count: lines of 16 bytes, each with its offset (seven digits) before it
    od -A d -v -t x1 -j "$2" -N "$3" "$1" 2>/dev/null
}

plain() { tr -cd 'A-Za-z0-9._:-' | cut -c 1-128; }

uuid_of() { # name in /sys/class/block
    for file in device/wwid wwid serial device/serial dm/uuid md/uuid; do
        if [ -r "/sys/class/block/$1/$file" ]; then
            uuid=$(plain 2>/dev/null < "/sys/class/block/$1/$file")
            [ -n "$uuid" ] && { printf '%s\n' "$uuid"; return; }
        fi
    done
    if [ -r "/sys/class/block/$1/loop/backing_file" ]; then
        IFS= read -r file < "/sys/class/block/$1/loop/backing_file"
        printf 'file-%s\n' "$(printf '%s' "$file" | cksum | plain)"
        return
    fi
    uuid=$(lsblk -dno WWN "/dev/$1" 2>/dev/null | plain)
    [ -n "$uuid" ] || uuid=$(lsblk -dno SERIAL "/dev/$1" 2>/dev/null | plain)
    printf '%s\n' "$uuid"
}

size_of() { # name in /sys/class/block: bytes
    sectors=0
    [ -r "/sys/class/block/$1/size" ] && read -r sectors < "/sys/class/block/$1/size"
    echo $((sectors * 512))
}

# blkid and wipefs know hundreds of signatures; what is looked for by hand are those that must not be missed where
# neither of them is installed: MBR, GPT (also of 4 KB sectors), LVM, ext, XFS, btrfs, NTFS, BitLocker, ReFS, FAT,
# swap, LUKS, Linux RAID, a dynamic disk of Windows, VMFS, ZFS.
signatures() { # device
    if command -v blkid >/dev/null 2>&1; then
        found=$(blkid -p -o export "$1" 2>/dev/null)
        code=$?
        [ $code = 8 ] && echo "signature several"
        printf '%s\n' "$found" | while IFS='=' read -r key value; do
            case $key in
            TYPE) echo "signature $(printf '%s' "$value" | plain)" ;;
            PTTYPE) echo "partition-table $(printf '%s' "$value" | plain)" ;;
            esac
        done
    fi
    if command -v wipefs >/dev/null 2>&1; then
        wipefs --no-act --parsable "$1" 2>/dev/null | while IFS=, read -r offset _ _ kind; do
            case $offset in 0x*) echo "signature $(printf '%s' "$kind" | plain)" ;; esac
        done
    fi
    at='0000000|0000048|0000080|0000496|0000512|0001024|0001072|0001536|0003072|0004080|0004096|0065600|1048576'
    lines=$({ dump "$1" 0 8192; dump "$1" 65600 16; dump "$1" 1048576 16; } | grep -E "^($at) ")
    case $lines in "0000000 "*) ;; *) echo "unexamined" ;; esac
    b='???' lvm=' 4c 41 42 45 4c 4f 4e 45*' # b: a byte and its blank
    printf '%s\n' "$lines" | while IFS= read -r line; do
        case $line in
        "0000496 "*" 55 aa") echo "partition-table mbr" ;;
        "0000512 45 46 49 20 50 41 52 54"* | "0004096 45 46 49 20 50 41 52 54"*) echo "partition-table gpt" ;;
        0000000$lvm | 0000512$lvm | 0001024$lvm | 0001536$lvm) echo "signature LVM2_member" ;;
        "0000000 58 46 53 42"*) echo "signature xfs" ;;
        "0000000 4c 55 4b 53 ba be"*) echo "signature crypto_LUKS" ;;
        "0000000 "$b$b$b"4e 54 46 53 20 20 20 20"*) echo "signature ntfs" ;;
        "0000000 "$b$b$b"2d 46 56 45 2d 46 53 2d"*) echo "signature BitLocker" ;;
        "0000000 "$b$b$b"52 65 46 53 00"*) echo "signature ReFS" ;;
        "0000000 "$b$b$b"45 58 46 41 54 20"*) echo "signature exfat" ;;
        "0000048 "$b$b$b$b$b$b"46 41 54"* | "0000080 "$b$b"46 41 54"*) echo "signature vfat" ;;
        "0001072 "$b$b$b$b$b$b$b$b"53 ef"*) echo "signature ext" ;;
        "0003072 50 52 49 56 48 45 41 44"*) echo "signature ldm" ;;
        "0004080 "*" 53 57 41 50 53 50 41 43 45 32") echo "signature swap" ;;
        "0000000 fc 4e 2b a9"* | "0004096 fc 4e 2b a9"*) echo "signature linux_raid_member" ;;
        "0065600 5f 42 48 52 66 53 5f 4d"*) echo "signature btrfs" ;;
        "1048576 0d d0 01 c0"* | "1048576 c0 01 d0 0d"*) echo "signature VMFS" ;;
        esac
    done
    # Without -v a line like the one before is left out: it has been seen.
    if od -A d -t x1 -j 131072 -N 131072 "$1" 2>/dev/null |
        grep -q '^[0-9]* \(0c b1 ba 00 00 00 00 00\|00 00 00 00 00 ba b1 0c\)'; then
        echo "signature zfs_member"
    fi
}

in_use() { # name in /sys/class/block, its device
    sys=/sys/class/block/$1
    [ -e "$sys/partition" ] && echo "partition"
    for part in "$sys"/*/partition; do
        [ -e "$part" ] && { echo "partition-table kernel"; break; }
    done
    for holder in "$sys"/holders/* "$sys"/*/holders/*; do
        [ -e "$holder" ] && echo "holder $(printf '%s' "${holder##*/}" | plain)"
    done
    for file in "$sys/dev" "$sys"/*/dev; do
        [ -r "$file" ] || continue
        IFS= read -r number < "$file"
        while read -r _ _ device _ _ _; do
            [ "$device" = "$number" ] && { echo "mounted"; break; }
        done < /proc/self/mountinfo
    done
    if [ -r /proc/swaps ]; then
        while read -r file _; do
            case $file in "$2" | "$2"[0-9]* | "$2"p[0-9]*) echo "swap" ;; esac
        done < /proc/swaps
    fi
    if [ -r "$sys/ro" ]; then
        IFS= read -r ro < "$sys/ro"
        [ "$ro" = 0 ] || echo "read-only"
    fi
}

objections() { # device, its name in /sys/class/block: one objection a line
    if ! readable "$1"; then
        echo "unreadable"
        return
    fi
    [ -r /proc/self/mountinfo ] || echo "unexamined"
    for tool in od dd tr grep; do
        command -v $tool >/dev/null 2>&1 || echo "unexamined"
    done
    in_use "$2" "$1"
    signatures "$1"
}

real_device() { # path: the block device behind it, nothing if there is none
    real=$(readlink -f "$1" 2>/dev/null)
    [ -n "$real" ] && [ -b "$real" ] && [ -e "/sys/class/block/${real##*/}" ] && printf '%s\n' "$real"
}

check_disk() { # path, expected uuid, expected size: one objection a line, nothing if it may be written
    device=$(real_device "$1")
    if [ -z "$device" ]; then
        [ -e "$1" ] && echo "not-a-disk" || echo "not-there"
        return
    fi
    name=${device##*/}
    now=$(size_of "$name")
    [ "$now" = "$3" ] || echo "size $now"
    now=$(uuid_of "$name")
    if [ -z "$2" ]; then echo "no-identity"; elif [ "$now" != "$2" ]; then echo "uuid $now"; fi
    objections "$device" "$name"
}

check_file() { # path of a work file: it must not be a disk
    if [ -e "$1" ] && [ ! -f "$1" ]; then echo "not-a-file"; fi
}

check_all() { # reads the lines of `disks` from stdin; one line an objection: number of the disk, objection
    number=0
    while IFS='|' read -r kind path uuid size; do
        number=$((number + 1))
        case $kind in
        disk) check_disk "$path" "$uuid" "$size" ;;
        file) check_file "$path" ;;
        *) echo "unexamined" ;;
        esac < /dev/null | sort -u | while IFS= read -r objection; do printf '%s %s\n' "$number" "$objection"; done
    done
}

by_id() { # name in /sys/class/block: a path that stays
    for link in /dev/disk/by-id/wwn-* /dev/disk/by-id/*; do
        [ "$(readlink -f "$link" 2>/dev/null)" = "/dev/$1" ] && { printf '%s\n' "$link"; return; }
    done
    printf '/dev/%s\n' "$1"
}

list_disks() { # one line a disk: path, uuid, size and objections, between tabs
    for sys in /sys/block/*; do
        name=${sys##*/}
        case $name in ram* | zram* | sr* | fd* | nbd*) continue ;; esac
        [ "$(size_of "$name")" -gt 0 ] || continue
        case $name in loop*) [ -e "$sys/loop/backing_file" ] || continue ;; esac
        printf 'disk\t%s\t%s\t%s\t%s\n' "$(by_id "$name")" "$(uuid_of "$name")" "$(size_of "$name")" \
            "$(objections "/dev/$name" "$name" | sort -u | tr '\n' ';')"
    done
}
