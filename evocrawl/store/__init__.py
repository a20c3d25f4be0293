"""What outlives or leaves the process: journal, archive, cluster and exports."""
