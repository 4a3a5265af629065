"""The Argo CD objects of a target: Applications, AppProjects and the Application of the catalog itself."""
