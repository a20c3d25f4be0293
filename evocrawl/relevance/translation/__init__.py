"""Pages in other languages, word by word in that of the query, by bilingual dictionaries."""
