"""Kind KubernetesPublication: the tree of a DeploymentTarget, published as one step of an environment."""
