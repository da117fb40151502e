"""The Python SDK of the 1.x line: sessions opened by initialize."""
import asyncio
import datetime

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import McpError

from transcript import Transcript


async def main():
    transcript = Transcript()
    plan = transcript.plan
    command, *arguments = plan["command"]
    server = StdioServerParameters(command=command, args=arguments, env=plan["env"])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        hello = await session.initialize()
        transcript.facts = {"protocol_version": hello.protocolVersion, "instructions": hello.instructions,
                            "server_info": hello.serverInfo.model_dump(exclude_none=True),
                            "capabilities": hello.capabilities.model_dump(exclude_none=True)}
        await session.send_ping()
        for tool in (await session.list_tools()).tools:
            transcript.tools.append({
                "name": tool.name, "title": tool.title, "description": tool.description,
                "inputSchema": tool.inputSchema, "outputSchema": tool.outputSchema,
                "annotations": tool.annotations and tool.annotations.model_dump(exclude_none=True)})
        for call in plan["calls"]:
            async def ask(arguments, on_progress, tool=call["tool"], seconds=call["seconds"]):
                result = await session.call_tool(tool, arguments, datetime.timedelta(seconds=seconds), on_progress)
                return [item.text for item in result.content], result.isError, result.structuredContent
            await transcript.call(call, McpError, ask)
    transcript.print()


asyncio.run(main())
