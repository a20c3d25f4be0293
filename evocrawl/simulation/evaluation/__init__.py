"""Measures of crawls, and what can be said of their differences."""
