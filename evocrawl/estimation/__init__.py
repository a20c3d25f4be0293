"""How much is left: the relevant pages to come and the recall so far, with 90 % intervals."""
