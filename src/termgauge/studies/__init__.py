"""Studies, in which people rate pairs: the design, the server and its pages, ratings, agreement and scores."""
