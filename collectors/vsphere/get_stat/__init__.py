"""What PowerCLI's Get-Stat returned and Export-Csv wrote, as the samples of a vCenter that they are.

``Get-Stat`` gives one object a sample, of the type FloatSampleImpl or LongSampleImpl. Documented (PowerCLI
cmdlet reference; the properties by a published export, whose first row is
``"283","18-09-2015 10:44:20","disk.numberwrite.summation","number","Number …","drupal-mediamosa",
"VirtualMachine-vm-90","20","naa.600601600f213300defe98a3a052e311"``) and therefore relied on:

* a counter is ``group.name.rollup``, spelled as whoever asked typed it: lower case is usual;
* an empty ``Instance`` is the object's own value (``*`` for clusters, by some versions);
* percentages are percent, where the API gives hundredths of them; all else is the API's number;
* ``Timestamp`` is in the local time of the computer that asked, newest first within each series;
* ``EntityId`` is the type and the id in the vCenter: ``VirtualMachine-vm-90``.

``Export-Csv`` writes all of it as text in the culture of that computer: its dates, its decimal sign, with
``-UseCulture`` its separator. Windows PowerShell 5.1 puts a line ``#TYPE …`` first and writes ASCII unless
told otherwise; PowerShell 7 writes UTF-8 and no such line.
"""
