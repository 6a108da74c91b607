"""What do models know, and what do they share?"""
