"""Chooses what to fetch and settles what came back: turns, admission, discovery, life cycle."""
