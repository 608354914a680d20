"""The doors: thin translations of the engine for shells, agents and people.

The doors do not know each other; what they share is ``records`` (the JSON shapes) and ``entry``
(how one door starts another).
"""
