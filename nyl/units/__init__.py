"""The driver protocol and the built-in drivers."""
