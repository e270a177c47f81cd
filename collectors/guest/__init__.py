"""What a guest's own kernel counts, over ssh: a loop in the guest's shell prints it, and this decodes it."""
