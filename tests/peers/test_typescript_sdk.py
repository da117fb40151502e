#!/usr/bin/env python3
"""The TypeScript SDK (@modelcontextprotocol/client, 2.x) in both families, and with each legacy revision."""
import peers

peers.main("client_typescript.mjs", "node", [
    peers.Session("legacy", peers.LEGACY),
    *(peers.Session("legacy", offer, offer=offer) for offer in ("2025-06-18", "2025-03-26", "2024-11-05")),
    peers.Session("auto", peers.MODERN),
    peers.Session(peers.MODERN, peers.MODERN),
    peers.Session("auto", peers.MODERN, structured=False),
])
