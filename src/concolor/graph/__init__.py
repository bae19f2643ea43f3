"""What we color: the graph, its files, families and data sets. No torch here."""
