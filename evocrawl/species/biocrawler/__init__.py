"""BioCrawler (Batzios et al. 2008): agents with rules that lead to machine-readable content."""
