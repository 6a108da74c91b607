"""Named entities: how well a small network finds them when it is given an embedding (Chiu et al. 2018)."""
