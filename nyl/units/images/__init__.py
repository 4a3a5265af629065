"""Images: the kind OciImage, its builders, and the registries it pushes to."""
