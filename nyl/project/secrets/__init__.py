"""The project's secrets: read from the provider of nyl.toml once a run, and only when a unit needs one.

No error of these modules ever holds a value, nor text of what a provider printed.
"""
