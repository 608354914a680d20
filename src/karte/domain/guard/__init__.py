"""The injection rule engine: what a text is judged by before it may be remembered."""
