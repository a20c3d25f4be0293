"""Snapshots of a crawl: its population as data, so that a resume need not replay the journal."""
