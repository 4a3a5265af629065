"""nyl, a Git-native orchestrator: units, environments, and results recorded as commits."""

__version__ = "0.1.0"
