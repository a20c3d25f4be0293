"""Limits for each host: slots, delays, back-off and robots.txt."""
