#!/usr/bin/env python3
"""The Python SDK as most programs still have it (1.x), which speaks the legacy revisions only."""
import peers

peers.main("client_python1.py", "python1", [
    peers.Session("legacy", peers.LEGACY),
    peers.Session("legacy", peers.LEGACY, structured=False),
])
