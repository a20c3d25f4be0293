"""The rules of robots.txt (RFC 9309): parser, rules and cache."""
