"""Shows a crawl to people: reasons, reports and the dashboard, from events and the store."""
