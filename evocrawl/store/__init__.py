"""Storage of crawls: the journal, the archive, the shared state in Redis, and exports."""
