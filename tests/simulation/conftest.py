"""Puts this folder on the path, so that every test below finds `event_log`."""
