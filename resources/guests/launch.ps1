# launch.sh in PowerShell. What an ssh session starts ends with it, what the system's WMI service starts does not.
$ErrorActionPreference = 'Stop'
$folder = [Console]::In.ReadLine()
if ($folder -notmatch '\\hyperscope-[0-9a-f]{12,}$' -or -not (Test-Path -LiteralPath "$folder\run.ps1")) { exit 3 }
$command = "powershell.exe -NoProfile -NonInteractive -ExecutionPolicy Bypass -File $folder\run.ps1"
$made = Invoke-CimMethod -ClassName Win32_Process -MethodName Create -Arguments @{ CommandLine = $command; CurrentDirectory = $folder }
if ($made.ReturnValue) { exit 4 }
'started'
