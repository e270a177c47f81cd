# Tells what speaks against writing to disks. Put behind disks.sh. stdin: the lines of a file `disks`.

LC_ALL=C
PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL PATH
check_all
echo checked
