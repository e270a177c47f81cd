# put.sh in PowerShell; the content is a line of base64.
$ErrorActionPreference = 'Stop'
$path = [Console]::In.ReadLine()
[void][Console]::In.ReadLine()
[IO.File]::WriteAllBytes("$path.new", [Convert]::FromBase64String([Console]::In.ReadLine()))
Move-Item -LiteralPath "$path.new" -Destination $path -Force
'put'
