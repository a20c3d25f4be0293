"""The options of a crawl, declared by subject, read once into one frozen object."""
