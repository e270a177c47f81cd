"""esxtop's own counters through the vSphere API: a host's service ``Esxtop``, live or as others saved it."""
