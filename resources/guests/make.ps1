# make.sh in PowerShell.
$ErrorActionPreference = 'Stop'
$told = [Console]::In
$folder = $told.ReadLine()
if (Test-Path -LiteralPath $folder) { exit 3 }
[void](New-Item -ItemType Directory -Path $folder)
[IO.File]::WriteAllText("$folder\hyperscope", '')
while ($null -ne ($name = $told.ReadLine())) {
    if ($name -notmatch '^[a-z0-9.]+$') { exit 4 }
    $lines = New-Object Collections.Generic.List[string]
    for ($left = [int]$told.ReadLine(); $left -gt 0; $left -= 1) { $lines.Add($told.ReadLine()) }
    [IO.File]::WriteAllLines("$folder\$name", $lines)
}
'made'
