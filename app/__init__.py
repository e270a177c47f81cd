"""The program: entry point, commands, composition root."""
