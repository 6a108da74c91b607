"""Does a model keep a distant category apart from two close ones?"""
