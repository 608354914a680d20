"""What measures meaning: the protocol of an embedder, one that needs only numpy, and one behind an HTTP endpoint."""
