"""Text of any language: its scripts, its words, and one spelling for each of them."""
