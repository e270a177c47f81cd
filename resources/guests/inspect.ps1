# inspect.sh in PowerShell. Put behind disks.ps1.
$ErrorActionPreference = 'Stop'
$folder = [Console]::In.ReadLine()
$own = [Console]::In.ReadLine()
$fio = 'fio'
if ($own -and (Test-Path -LiteralPath $own)) { $fio = $own }
'system Windows'
try { "fio $(@(& $fio --version)[0])" } catch { 'fio ' }
try { foreach ($line in @(& $fio --enghelp)) { if ($line.Trim() -match '^[a-z0-9_-]+$') { "engine $($line.Trim())" } } } catch { }
"cpus $([Environment]::ProcessorCount)"
"free_kb $([Math]::Floor((New-Object IO.DriveInfo ($folder.Substring(0, 1))).AvailableFreeSpace / 1024))"
"boot $((Get-CimInstance Win32_OperatingSystem).LastBootUpTime.ToFileTimeUtc())"
foreach ($disk in @(Get-Disk)) {
    $path = "\\.\PhysicalDrive$($disk.Number)"
    $objections = @(Get-Objections $disk $path | Sort-Object -Unique) -join ';'
    "disk`t$path`t$(Get-Uuid $disk)`t$($disk.Size)`t$objections"
}
'end'
