"""Typed inputs of Releases: what they declare, what targets bind to them, and the values that come of it."""
