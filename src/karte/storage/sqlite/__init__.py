"""One SQLite file as a store."""
