"""Does the score on a benchmark say how well a model does in use?"""
