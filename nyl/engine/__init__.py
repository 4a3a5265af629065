"""The result model, decisions over a snapshot, and the runner that carries them out."""
