"""The journal of a crawl: its operations, their codec, the SQLite file and replay."""
