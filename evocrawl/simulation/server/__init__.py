"""Serves a world over HTTP on the loopback interface."""
