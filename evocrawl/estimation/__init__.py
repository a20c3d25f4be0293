"""Estimates how much is left: relevant pages to come and recall so far, with 90 % intervals."""
