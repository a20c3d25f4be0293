"""Limits per host: slots, delays, back-off and robots.txt."""
