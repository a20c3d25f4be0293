"""Recognises pages that say nothing new and holds back links that look like traps."""
