"""The kinds Terraform and OpenTofu: one implementation for two programs."""
