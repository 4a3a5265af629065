"""Codes and diagnostics, ids, canonical JSON and digests, YAML, schemas, durations, the clock, masking, the cache."""
