"""What all packages share: the data model, events, errors, budget, clock, ledger and stats."""
