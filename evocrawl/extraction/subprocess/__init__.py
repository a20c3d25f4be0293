"""Reads hard pages in a process of their own, within limits of time and memory."""
