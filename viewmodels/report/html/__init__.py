"""A report as one HTML file: no script, nothing from the network, light, dark and print inside."""
