"""The spider `evospider`."""
