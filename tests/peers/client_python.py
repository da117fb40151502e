"""The Python SDK of the 2.x line: sessions opened by initialize, and the revision that needs none."""
import asyncio
import warnings

from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client

from transcript import Transcript


async def main():
    transcript = Transcript()
    plan = transcript.plan
    command, *arguments = plan["command"]
    server = stdio_client(StdioServerParameters(command=command, args=arguments, env=plan["env"]))
    async with Client(server, mode=plan["mode"]) as client:
        if plan["mode"] == "legacy":
            with warnings.catch_warnings():  # ping is deprecated, because newer revisions have none.
                warnings.simplefilter("ignore")
                await client.send_ping()
        for tool in (await client.list_tools()).tools:
            transcript.tools.append({
                "name": tool.name, "title": tool.title, "description": tool.description,
                "inputSchema": tool.input_schema, "outputSchema": tool.output_schema,
                "annotations": tool.annotations and tool.annotations.model_dump(by_alias=True, exclude_none=True)})
        for call in plan["calls"]:
            async def ask(arguments, on_progress, tool=call["tool"], seconds=call["seconds"]):
                result = await client.call_tool(tool, arguments, seconds, on_progress)
                return [item.text for item in result.content], result.is_error, result.structured_content
            await transcript.call(call, MCPError, ask)
        info = client.server_info
        transcript.facts = {"protocol_version": client.protocol_version, "instructions": client.instructions,
                            "server_info": info and info.model_dump(by_alias=True, exclude_none=True),
                            "capabilities": client.server_capabilities.model_dump(by_alias=True, exclude_none=True)}
    transcript.print()


asyncio.run(main())
