"""Puts this folder on the path, so that every test finds `reef_site`."""
