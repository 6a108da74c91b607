"""Speed and memory side by side with what a user would do instead, each as a ratio in one run."""
