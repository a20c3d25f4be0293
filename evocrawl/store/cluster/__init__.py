"""One crawl of several workers: leases, quotas, events and termination."""
