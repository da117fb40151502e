// The TypeScript SDK of the 2.x line (@modelcontextprotocol/client): both families of the protocol.
import { load, plan, run } from './transcript.mjs';

const { Client } = load('@modelcontextprotocol/client');
const { StdioClientTransport } = load('@modelcontextprotocol/client/stdio');

const modes = { legacy: 'legacy', auto: 'auto' };
const [command, ...args] = plan.command;
const client = new Client(
    { name: 'peer', version: '1.0.0' },
    {
        versionNegotiation: { mode: modes[plan.mode] ?? { pin: plan.mode } },
        ...(plan.offer && { supportedProtocolVersions: [plan.offer] }),
    },
);
await client.connect(new StdioClientTransport({ command, args, env: plan.env }));
await run(
    client,
    (params, options) => client.callTool(params, options),
    () => client.getNegotiatedProtocolVersion(),
);
