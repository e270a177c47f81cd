# follow.sh in PowerShell.
$ErrorActionPreference = 'Stop'
$out = [Console]::OpenStandardOutput()
function Write-Line($text) {
    $bytes = [Text.Encoding]::UTF8.GetBytes("$text`n")
    $out.Write($bytes, 0, $bytes.Length)
}
function Get-Line($path) {
    try { @([IO.File]::ReadAllLines($path))[0] } catch { '' }
}
$folder = [Console]::In.ReadLine()
while ($null -ne ($line = [Console]::In.ReadLine())) {
    if ($line -notmatch '^([0-9]+) ([0-9]+)$') { exit 2 }
    $beat = $Matches[1]
    $part = [int]$Matches[2] + 1
    $last = $part + 7
    if (Test-Path -LiteralPath $folder) {
        [IO.File]::WriteAllText("$folder\alive.new", "$beat`n")
        Move-Item -LiteralPath "$folder\alive.new" -Destination "$folder\alive" -Force
        $ending = Get-Line "$folder\rc"
        Write-Line "state $(Get-Line "$folder\state")"
        if ($ending -and -not (Test-Path -LiteralPath "$folder\part.$($last + 1)")) { Write-Line "rc $ending" }
        while ($part -le $last -and (Test-Path -LiteralPath "$folder\part.$part")) {
            $bytes = [IO.File]::ReadAllBytes("$folder\part.$part")
            Write-Line "part $part $($bytes.Length)"
            $out.Write($bytes, 0, $bytes.Length)
            $part += 1
        }
    } else { Write-Line 'state gone' }
    Write-Line "end $beat"
    $out.Flush()
}
