// The TypeScript SDK of the 1.x line (@modelcontextprotocol/sdk): sessions opened by initialize.
import { load, plan, run } from './transcript.mjs';

const { Client } = load('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = load('@modelcontextprotocol/sdk/client/stdio.js');

const [command, ...args] = plan.command;
const transport = new StdioClientTransport({ command, args, env: plan.env });
let version;
transport.setProtocolVersion = agreed => {
    version = agreed;
};
const client = new Client({ name: 'peer', version: '1.0.0' });
await client.connect(transport);
await run(client, (params, options) => client.callTool(params, undefined, options), () => version);
