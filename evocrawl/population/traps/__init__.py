"""Detects pages without new content, and holds back links that look like traps."""
