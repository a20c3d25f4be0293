"""Address guard, resolver, connection pool and cookies; patches of Twisted's network code."""
