"""The shared state of a crawl of several workers in Redis or Valkey.

The rows in Redis are authoritative, and each worker loads its population from them. See
docs/guide/workers.md for the layout and the guarantees.
"""
