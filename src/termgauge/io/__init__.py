"""Files and folders: where they are, what they hold, and writing them whole or not at all."""
