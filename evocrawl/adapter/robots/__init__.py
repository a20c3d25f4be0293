"""Fetches robots.txt and opens the population's gate."""
