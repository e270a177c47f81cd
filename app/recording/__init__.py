"""The parts of the command ``record``: sources from addresses, and reports and questions on a terminal."""
