"""What a release is made of: it is built, installed in empty environments, tried, and listed with its licences."""
