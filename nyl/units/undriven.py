"""Kinds that no installed driver offers, in the words that every message about one has."""

INSTALL_DRIVER = "install the package that brings the driver"
"""The way out."""


def undriven(kind: str, api_version: str) -> str:
    """That nothing drives a kind, as a clause."""
    return f"no installed driver offers kind {kind} of {api_version}"
