// What the TypeScript clients share: the plan they read on stdin and the transcript they print. peers.py explains both.
import { readFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';

export const plan = JSON.parse(readFileSync(0, 'utf8'));
// The SDKs stand in the folder that install.sh made, not beside this file.
export const load = createRequire(`${plan.modules}/package.json`);

const handles = {};

function argumentsOf(call) {
    const named = value => (typeof value === 'string' && value.startsWith('$') ? handles[value.slice(1)] : value);
    return Object.fromEntries(Object.entries(call.arguments).map(([name, value]) => [name, named(value)]));
}

async function answerTo(call, ask) {
    const progress = [];
    const answer = { arguments: argumentsOf(call), progress };
    const onprogress = step => progress.push([step.progress, step.total ?? null, step.message ?? null]);
    try {
        const result = await ask(
            { name: call.tool, arguments: answer.arguments },
            { timeout: call.seconds * 1000, ...(call.progress && { onprogress }) },
        );
        answer.texts = result.content.map(item => item.text);
        answer.is_error = result.isError ?? false;
        answer.structured = result.structuredContent ?? null;
        if (call.as && !answer.is_error) handles[call.as] = JSON.parse(answer.texts[0]).handle;
    } catch (error) {
        // Of the server, or what the client itself finds wrong with its answer.
        const code = Number.isInteger(error.code) ? error.code : null;
        answer.error = { code, message: `${error.name}: ${error.message}` };
    }
    return answer;
}

// ask(params, options) calls a tool; version() is what was negotiated.
export async function run(client, ask, version) {
    if (plan.mode === 'legacy') await client.ping();
    const listed = await client.listTools();
    const tools = listed.tools.map(tool => ({
        name: tool.name,
        title: tool.title ?? null,
        description: tool.description ?? null,
        inputSchema: tool.inputSchema,
        outputSchema: tool.outputSchema ?? null,
        annotations: tool.annotations ?? null,
    }));
    const answers = [];
    for (const call of plan.calls) answers.push(await answerTo(call, ask));
    const transcript = {
        protocol_version: version(),
        instructions: client.getInstructions() ?? null,
        server_info: client.getServerVersion() ?? null,
        capabilities: client.getServerCapabilities() ?? null,
        tools,
        answers,
    };
    await client.close();
    const text = Buffer.from(JSON.stringify(transcript));
    for (let done = 0; done < text.length; ) done += writeSync(1, text, done);
}
