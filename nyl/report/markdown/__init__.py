"""Reports as the Markdown of pull-request comments and job summaries (GitHub Flavored Markdown)."""
