"""The rules of memory, as pure functions: no input or output, no clock, no randomness."""
