# What a guest's disks are, and what speaks against writing to them. For any POSIX shell; it is read with `.`.
# It answers in words that workloads/guests/disks.py knows; every doubt is an objection.

readable() { dd if="$1" of=/dev/null bs=512 count=1 2>/dev/null; }

bytes_at() { # device, offset, count: hexadecimal digits
    dd if="$1" bs=1 skip="$2" count="$3" 2>/dev/null | od -An -v -tx1 | tr -d ' \n'
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
    case $(bytes_at "$1" 510 2) in 55aa) echo "partition-table mbr" ;; esac
    for offset in 512 4096; do
        case $(bytes_at "$1" $offset 8) in 4546492050415254) echo "partition-table gpt" ;; esac
    done
    for offset in 0 512 1024 1536; do
        case $(bytes_at "$1" $offset 8) in 4c4142454c4f4e45) echo "signature LVM2_member" ;; esac
    done
    case $(bytes_at "$1" 1080 2) in 53ef) echo "signature ext" ;; esac
    case $(bytes_at "$1" 0 11) in
    58465342*) echo "signature xfs" ;;
    4c554b53babe*) echo "signature crypto_LUKS" ;;
    ??????4e54465320202020) echo "signature ntfs" ;;
    ??????2d4656452d46532d) echo "signature BitLocker" ;;
    ??????5265465300*) echo "signature ReFS" ;;
    ??????455846415420*) echo "signature exfat" ;;
    esac
    case $(bytes_at "$1" 82 3)$(bytes_at "$1" 54 3) in 464154* | *464154) echo "signature vfat" ;; esac
    case $(bytes_at "$1" 65600 8) in 5f42485266535f4d) echo "signature btrfs" ;; esac
    case $(bytes_at "$1" 4086 10) in 53574150535041434532) echo "signature swap" ;; esac
    for offset in 0 4096; do
        case $(bytes_at "$1" $offset 4) in fc4e2ba9) echo "signature linux_raid_member" ;; esac
    done
    case $(bytes_at "$1" 3072 8) in 5052495648454144) echo "signature ldm" ;; esac
    case $(bytes_at "$1" 1048576 4) in 0dd001c0 | c001d00d) echo "signature VMFS" ;; esac
    if dd if="$1" bs=1024 skip=128 count=128 2>/dev/null | od -An -v -tx1 |
        grep -q '^ 0c b1 ba 00 00 00 00 00\|^ 00 00 00 00 00 ba b1 0c'; then
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
