"""Expansion of HelmChart, Component, aliases and RemoteManifest into the objects that they stand for."""
