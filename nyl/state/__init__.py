"""State documents, the Git store that holds them, leases and run refs."""
