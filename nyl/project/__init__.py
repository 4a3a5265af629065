"""nyl.toml, discovery, resources and their schemas, templates, sources, secrets."""
