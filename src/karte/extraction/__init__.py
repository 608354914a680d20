"""Extractors: what turns of a conversation into facts; by rules, or by a model behind an endpoint."""
