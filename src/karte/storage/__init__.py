"""Where memories are kept: the protocol that services see, and the stores behind it."""
