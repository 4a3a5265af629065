"""Identifiers: time-ordered ids of runs and incarnations, and random nonces."""

import secrets


def new_id() -> str:
    """A UUIDv7, so that ids of runs and uids of incarnations sort by the time they were made."""
    import uuid_utils

    return str(uuid_utils.uuid7())


def new_nonce() -> str:
    """32 random hex digits, so that no two lease commits are ever the same object."""
    return secrets.token_hex(16)
