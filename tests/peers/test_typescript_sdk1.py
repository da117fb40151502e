#!/usr/bin/env python3
"""The TypeScript SDK as most programs still have it (@modelcontextprotocol/sdk), of the legacy revisions only."""
import peers

peers.main("client_typescript1.mjs", "node", [
    peers.Session("legacy", peers.LEGACY),
    peers.Session("legacy", peers.LEGACY, structured=False),
])
