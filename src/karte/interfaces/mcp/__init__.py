"""The door for MCP clients: tools over the engine, served by the official SDK.

``server`` puts it together; ``lines`` and ``stdio`` are the wire, ``tools`` says what there is,
``arguments`` reads what a model sent, ``handlers`` call the engine, ``results`` keep replies small.
"""
