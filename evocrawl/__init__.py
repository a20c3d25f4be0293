"""A focused crawler whose frontier is a population of agents."""
