# state.sh in PowerShell.
$ErrorActionPreference = 'Stop'
$folder = [Console]::In.ReadLine()
if (-not (Test-Path -LiteralPath "$folder\hyperscope")) { exit 0 }
'folder'
if (-not (Test-Path -LiteralPath "$folder\pid")) { exit 0 }
$number, $began, $command = [IO.File]::ReadAllLines("$folder\pid")[0].Split(' ', 3)
$work = Get-Process -Id ([int]$number) -ErrorAction SilentlyContinue
if ($work -and "$($work.StartTime.ToFileTimeUtc())" -eq $began) { "process $number $began $command" }
