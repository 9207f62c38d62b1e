"""The configuration around each file: what the command line, a configuration file and the defaults make of it."""
