"""A session with a vCenter or an ESXi host: certificate, login, SOAP, faults, coming back after failures."""
