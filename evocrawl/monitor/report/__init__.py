"""Reports of one stored crawl or of two side by side: HTML, Markdown and JSON."""
