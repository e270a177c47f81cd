"""What a guest's kernel counts: a loop prints it, over ssh or through VMware Tools, and this decodes it."""
