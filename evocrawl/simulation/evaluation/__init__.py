"""Measures of crawls, and statistics of the differences between species."""
