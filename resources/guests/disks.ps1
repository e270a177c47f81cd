# What a Windows guest's disks are, and what speaks against writing to them: disks.sh in PowerShell 5.1, in the same
# words. Written to the documented behaviour of Get-Disk and Get-Partition; it has not run on a Windows guest yet.

function Get-Bytes($path, $offset, $count) { # hexadecimal digits, empty if it can't be read
    try {
        $stream = [IO.File]::Open($path, 'Open', 'Read', 'ReadWrite')
        try {
            $start = [Math]::Floor($offset / 4096) * 4096
            $bytes = New-Object byte[] 8192
            [void]$stream.Seek($start, 'Begin')
            [void]$stream.Read($bytes, 0, $bytes.Length)
            return [BitConverter]::ToString($bytes, $offset - $start, $count).Replace('-', '').ToLower()
        } finally { $stream.Dispose() }
    } catch { return '' }
}

function Get-Signatures($path) {
    if ((Get-Bytes $path 510 2) -eq '55aa') { 'partition-table mbr' }
    foreach ($offset in 512, 4096) { if ((Get-Bytes $path $offset 8) -eq '4546492050415254') { 'partition-table gpt' } }
    foreach ($offset in 0, 512, 1024, 1536) {
        if ((Get-Bytes $path $offset 8) -eq '4c4142454c4f4e45') { 'signature LVM2_member' }
    }
    if ((Get-Bytes $path 1080 2) -eq '53ef') { 'signature ext' }
    switch -Wildcard (Get-Bytes $path 0 11) {
        '58465342*' { 'signature xfs' }
        '4c554b53babe*' { 'signature crypto_LUKS' }
        '??????4e54465320202020' { 'signature ntfs' }
        '??????2d4656452d46532d' { 'signature BitLocker' }
        '??????5265465300*' { 'signature ReFS' }
        '??????455846415420*' { 'signature exfat' }
    }
    if ((Get-Bytes $path 82 3) -eq '464154' -or (Get-Bytes $path 54 3) -eq '464154') { 'signature vfat' }
    if ((Get-Bytes $path 65600 8) -eq '5f42485266535f4d') { 'signature btrfs' }
    if ((Get-Bytes $path 4086 10) -eq '53574150535041434532') { 'signature swap' }
    foreach ($offset in 0, 4096) { if ((Get-Bytes $path $offset 4) -eq 'fc4e2ba9') { 'signature linux_raid_member' } }
    if ((Get-Bytes $path 3072 8) -eq '5052495648454144') { 'signature ldm' }
    if (@('0dd001c0', 'c001d00d') -contains (Get-Bytes $path 1048576 4)) { 'signature VMFS' }
    for ($number = 0; $number -lt 128; $number += 1) {
        $magic = Get-Bytes $path (131072 + 1024 * $number) 8
        if ($magic -eq '0cb1ba0000000000' -or $magic -eq '0000000000bab10c') { 'signature zfs_member'; break }
    }
}

function Get-Uuid($disk) {
    $uuid = "$($disk.SerialNumber)" -replace '[^A-Za-z0-9._:-]', ''
    if (-not $uuid) { $uuid = "$($disk.UniqueId)" -replace '[^A-Za-z0-9._:-]', '' }
    $uuid
}

function Get-Objections($disk, $path) {
    if (-not (Get-Bytes $path 0 11)) { 'unreadable'; return }
    if ("$($disk.PartitionStyle)" -ne 'RAW') { "partition-table $($disk.PartitionStyle)" }
    if ($disk.IsBoot -or $disk.IsSystem) { 'mounted' }
    if ($disk.IsReadOnly) { 'read-only' }
    if (@(Get-Partition -DiskNumber $disk.Number -ErrorAction SilentlyContinue).Count) { 'partition-table kernel' }
    Get-Signatures $path
}

function Test-OneDisk($path, $uuid, $size) {
    if ($path -notmatch '^\\\\\.\\PhysicalDrive([0-9]{1,4})$') { 'not-a-disk'; return }
    $disk = Get-Disk -Number ([int]$Matches[1]) -ErrorAction SilentlyContinue
    if (-not $disk) { 'not-there'; return }
    if ("$($disk.Size)" -ne $size) { "size $($disk.Size)" }
    $now = Get-Uuid $disk
    if (-not $uuid) { 'no-identity' } elseif ($now -ne $uuid) { "uuid $now" }
    Get-Objections $disk $path
}

function Test-AllDisks($lines) { # one line an objection: number of the disk, objection
    $number = 0
    foreach ($line in $lines) {
        $number += 1
        $kind, $path, $uuid, $size = $line.Split('|')
        $objections = switch ($kind) {
            'disk' { Test-OneDisk $path $uuid $size }
            'file' { if (Test-Path -LiteralPath $path -PathType Container) { 'not-a-file' } }
            default { 'unexamined' }
        }
        foreach ($objection in @($objections | Sort-Object -Unique)) { "$number $objection" }
    }
}
