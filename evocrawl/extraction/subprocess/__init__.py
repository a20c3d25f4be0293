"""Reads costly pages in a separate process, with limits of time and memory."""
