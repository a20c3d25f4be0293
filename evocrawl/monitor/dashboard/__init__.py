"""The dashboard and its API: a web server on this machine that shows a crawl and controls it."""
