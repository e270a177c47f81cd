"""The program: entry point, commands, and the window that puts views and models together."""
