"""The spider `evospider`, which crawls for a query."""
