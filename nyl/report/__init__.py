"""Renderings of the result model: tables, JSON, graphs, progress."""
