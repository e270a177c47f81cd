# get.sh in PowerShell.
$ErrorActionPreference = 'Stop'
$path = [Console]::In.ReadLine()
$most = [int][Console]::In.ReadLine()
if (-not (Test-Path -LiteralPath $path -PathType Leaf)) { exit 3 }
$stream = [IO.File]::Open($path, 'Open', 'Read', 'ReadWrite')
try {
    $bytes = New-Object byte[] ([Math]::Min($most, $stream.Length))
    $count = $stream.Read($bytes, 0, $bytes.Length)
} finally { $stream.Dispose() }
[Console]::OpenStandardOutput().Write($bytes, 0, $count)
