# Runs one fio job in a Windows guest, unattended: run.sh in PowerShell 5.1, with the same files in its folder.
# There is no barrier: fio is started at the instant itself. Written to the documented behaviour; it has not run on a
# Windows guest yet.

Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'
$here = $PSScriptRoot
Set-Location -LiteralPath $here
. "$here\disks.ps1"

try { [void](New-Item -ItemType Directory -Path "$here\running") } catch { exit 0 }

function Write-Whole($name, $text) {
    [IO.File]::WriteAllText("$here\$name.new", "$text`n")
    Move-Item -LiteralPath "$here\$name.new" -Destination "$here\$name" -Force
}

function Exit-With($code, $word, $detail) {
    Remove-Item -LiteralPath "$here\reserve" -ErrorAction SilentlyContinue
    Write-Whole 'rc' "$code $word $detail"
    exit 0
}

$settings = @{ start_ms = '0'; wait_s = '0'; interval_s = '5'; silence_s = '30'; free_kb = '16384'; fio = 'fio' }
foreach ($line in [IO.File]::ReadAllLines("$here\settings")) {
    $name, $value = $line.Split(' ', 2)
    if ($name -eq 'fio') { $settings.fio = $value; continue }
    if ($value -notmatch '^[0-9]{1,18}$') { Exit-With 2 'broken' 'settings' }
    $settings[$name] = $value
}

function Get-NowMs { [DateTimeOffset]::UtcNow.ToUnixTimeMilliseconds() }

$clock = [Diagnostics.Stopwatch]::StartNew()
$script:heard = 0.0
$script:seen = ''
function Get-Reason { # why the job must end, empty if it may go on
    $beat = ''
    try { $beat = [IO.File]::ReadAllText("$here\alive") } catch { $beat = $script:seen }
    if ($beat -ne $script:seen) { $script:seen = $beat; $script:heard = $clock.Elapsed.TotalSeconds }
    if (Test-Path -LiteralPath "$here\stop") { return 'stopped' }
    $allowed = [int]$settings.silence_s
    if (-not $script:seen) { $allowed *= 1.5 } # until the first sign: a hundred are started one after the other
    if ($clock.Elapsed.TotalSeconds - $script:heard -ge $allowed) { return 'silent' }
    $free = (New-Object IO.DriveInfo ($here.Substring(0, 1))).AvailableFreeSpace / 1024
    if ($free -lt [long]$settings.free_kb) { return 'full' }
    ''
}

function Get-Refusal { @(Test-AllDisks ([IO.File]::ReadAllLines("$here\disks"))) -join ';' }

$refusal = Get-Refusal
if ($refusal) { Exit-With 90 'refused' $refusal }
[IO.File]::WriteAllBytes("$here\reserve", (New-Object byte[] 65536))
Write-Whole 'state' 'working'
while ((Get-NowMs) -lt [long]$settings.start_ms - 1500) {
    $why = Get-Reason
    if ($why) { Exit-With 143 $why '' }
    if ([long]$settings.wait_s -gt 0 -and $clock.Elapsed.TotalSeconds -gt [long]$settings.wait_s) { Exit-With 92 'late' '' }
    Start-Sleep -Milliseconds 500
}
$refusal = Get-Refusal
if ($refusal) { Exit-With 90 'refused' $refusal }
$left = [long]$settings.start_ms - (Get-NowMs)
if ($left -gt 0) { Start-Sleep -Milliseconds $left }

$words = '--output-format=json+', "--output=$here\fio.json", "--status-interval=$($settings.interval_s)", "$here\job.fio"
$work = Start-Process -FilePath $settings.fio -ArgumentList $words -WorkingDirectory $here -NoNewWindow -PassThru `
    -RedirectStandardOutput "$here\out" -RedirectStandardError "$here\err"
[void]$work.Handle # without it the exit code is lost
Write-Whole 'pid' "$($work.Id) $($work.StartTime.ToFileTimeUtc()) $($settings.fio) $($words -join ' ')"

$script:cut = 0L
$script:part = 0
function Write-Part { # what fio wrote since the last time becomes the next part
    if (-not (Test-Path -LiteralPath "$here\fio.json")) { return }
    $stream = [IO.File]::Open("$here\fio.json", 'Open', 'Read', 'ReadWrite')
    try {
        $size = $stream.Length - $script:cut
        if ($size -le 0) { return }
        $bytes = New-Object byte[] $size
        [void]$stream.Seek($script:cut, 'Begin')
        $count = $stream.Read($bytes, 0, $bytes.Length)
    } finally { $stream.Dispose() }
    $out = [IO.File]::Create("$here\part.new")
    try { $out.Write($bytes, 0, $count) } finally { $out.Dispose() }
    Move-Item -LiteralPath "$here\part.new" -Destination "$here\part.$($script:part + 1)" -Force
    $script:part += 1
    $script:cut += $count
}

$why = ''
while (-not $work.WaitForExit(1000)) {
    $why = Get-Reason
    if ($why) {
        Remove-Item -LiteralPath "$here\reserve" -ErrorAction SilentlyContinue
        $work.Kill()
        [void]$work.WaitForExit(5000)
        break
    }
    Write-Part
}
Write-Part
if ($why) { Exit-With 143 $why $script:part } else { Exit-With $work.ExitCode 'ended' $script:part }
