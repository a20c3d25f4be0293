"""Runs populations over worlds without a network and measures what they find."""
