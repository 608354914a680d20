"""The command line: tables and timelines for people, JSON for machines."""
