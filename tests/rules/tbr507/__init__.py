"""Two files: the function's parameters are in one, the call that hands a flag over in the other."""
