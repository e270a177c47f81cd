"""What ``vscsiStats -p all -c`` of an ESXi host prints: histograms of the commands of its virtual disks."""
