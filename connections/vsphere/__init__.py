"""Sessions with a vCenter or an ESXi host: certificate, login, SOAP, faults, reconnecting."""
