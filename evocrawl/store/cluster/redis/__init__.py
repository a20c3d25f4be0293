"""One crawl of several workers, on Redis or Valkey.

Nobody's memory is the truth here: it is the rows in Redis. A worker's population is fed from them.
See docs/workers.md for the layout and what it promises.
"""
