"""What do models find wrong in a terminology?"""
