"""How well does a model cover a domain?"""
