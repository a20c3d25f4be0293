"""What counts as one URL: identity, host names, resolving, templates and networks."""
