"""Ids, digests, canonical JSON, YAML, durations, clock, errors, the process runner."""
