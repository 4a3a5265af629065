"""Publishing rendered trees: the branch that holds them, what a publication changes there, and its commit."""
