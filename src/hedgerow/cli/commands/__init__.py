"""The commands. A module that defines a function of its own name is one; its first parameter is an `Output`."""
