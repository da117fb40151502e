#!/usr/bin/env python3
"""The Python SDK (2.x) in both families of the protocol."""
import peers

peers.main("client_python.py", "python", [
    peers.Session("legacy", peers.LEGACY),
    peers.Session("auto", peers.MODERN),
    peers.Session(peers.MODERN, peers.MODERN, greeted=False),
    peers.Session("auto", peers.MODERN, structured=False),
])
