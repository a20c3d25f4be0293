"""URLs: identity, host names, resolving, templates, request keys and networks."""
