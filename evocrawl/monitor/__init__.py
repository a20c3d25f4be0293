"""What a person sees of a crawl: reasons, reports and the dashboard, from events and the store."""
