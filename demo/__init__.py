"""The demonstration: a real documentation web, served on this machine and crawled by topic."""
