"""Git repositories, object access, checkouts, fetches and pushes."""
