# clock.sh in PowerShell: ticks of 100 ns.
while ($null -ne [Console]::In.ReadLine()) {
    [Console]::Out.WriteLine((([DateTime]::UtcNow.Ticks - 621355968000000000L) * 100).ToString())
    [Console]::Out.Flush()
}
