"""The published experiments, run again with this code. One experiment a file."""
