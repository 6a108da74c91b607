"""Do the relations of a domain hold as analogies?"""
