"""Foragers for new pages (Palotai et al.): weblog, reinforcement and both."""
