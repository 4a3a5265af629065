"""One module a command: parse, call the engine, print."""
