"""Compiler and publisher of Kubernetes manifest trees. It knows nothing of environments, receipts or state."""
