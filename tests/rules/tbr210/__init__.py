"""Two files: values choose in one, and decide a saved size in the other."""
