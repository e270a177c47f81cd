# check.sh in PowerShell. Put behind disks.ps1.
$ErrorActionPreference = 'Stop'
$lines = New-Object Collections.Generic.List[string]
while ($null -ne ($line = [Console]::In.ReadLine())) { $lines.Add($line) }
Test-AllDisks $lines
'checked'
