"""The default species: one shared link model, agents as samples of its posterior."""
