"""Records of the catalogue: one module per kind of entry."""
