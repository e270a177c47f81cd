# lock.sh in PowerShell.
$ErrorActionPreference = 'Stop'
$file = 'C:\Windows\Temp\hyperscope.lock'
$what = [Console]::In.ReadLine()
function Write-Held {
    'held'
    try { [IO.File]::ReadAllLines($file)[0] } catch { 'something that no test made' }
}
switch ($what) {
    'read' { if (Test-Path -LiteralPath $file) { Write-Held } else { 'none' } }
    'take' {
        $text = [Console]::In.ReadLine()
        [IO.File]::WriteAllText("$file.$PID", "$text`n")
        try { [IO.File]::Move("$file.$PID", $file); 'taken' } # fails if it is there
        catch { Remove-Item -LiteralPath "$file.$PID"; Write-Held }
    }
    'free' { if (Test-Path -LiteralPath $file) { Remove-Item -LiteralPath $file -Force }; 'free' }
    default { exit 2 }
}
