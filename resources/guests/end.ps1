# end.sh in PowerShell.
$ErrorActionPreference = 'Stop'
$folder = [Console]::In.ReadLine()
$what = [Console]::In.ReadLine()
if ($folder -notmatch '\\hyperscope-[0-9a-f]{12,}$') { exit 2 }
if (-not (Test-Path -LiteralPath $folder)) { 'gone'; exit 0 }
if (-not (Test-Path -LiteralPath "$folder\hyperscope")) { exit 3 }
[IO.File]::WriteAllText("$folder\stop", '')
$tries = 0
while ((Test-Path -LiteralPath "$folder\running") -and -not (Test-Path -LiteralPath "$folder\rc") -and $tries -lt 9) {
    Start-Sleep -Seconds 1
    $tries += 1
}
if (Test-Path -LiteralPath "$folder\pid") {
    $number, $began, $command = [IO.File]::ReadAllLines("$folder\pid")[0].Split(' ', 3)
    $work = Get-Process -Id ([int]$number) -ErrorAction SilentlyContinue
    if ($work -and "$($work.StartTime.ToFileTimeUtc())" -eq $began -and $work.ProcessName -eq 'fio') {
        $work.Kill()
        if (-not $work.WaitForExit(5000)) { 'alive'; exit 0 }
    }
}
if ($what -ne 'remove') { 'stopped'; exit 0 }
Remove-Item -LiteralPath $folder -Recurse -Force
'gone'
