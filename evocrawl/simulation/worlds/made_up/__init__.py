"""Generators of synthetic webs."""
