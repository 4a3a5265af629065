"""The project that `nyl init` writes."""
