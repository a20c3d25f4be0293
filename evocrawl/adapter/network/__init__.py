"""Address guard, resolver, connection pool and cookies: patches of network code."""
