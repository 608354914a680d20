"""Use cases: each opens one transaction, asks the domain for a plan and has the store apply it."""
