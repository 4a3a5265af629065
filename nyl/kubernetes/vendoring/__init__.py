"""Vendoring: files that come from elsewhere, kept in the project so that rendering needs nothing but its commit."""
