"""vSAN's performance service of a vCenter: what is asked, what its answers mean, and their recording."""
