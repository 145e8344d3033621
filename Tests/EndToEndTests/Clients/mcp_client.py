"""The Model Context Protocol's own client with `shunt mcp`.

usage: mcp_client.py SHUNT FOLDER
Prints a line of JSON for each case: "case", and "ok" or what it "saw".
"""
import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

shunt, folder = sys.argv[1:]


def tell(case, ok, saw=""):
    print(json.dumps({"case": case, "ok": bool(ok), "saw": str(saw)[:2000]}), flush=True)


async def text(session, tool, **arguments):
    result = await session.call_tool(tool, arguments)
    words = result.content[0].text
    return words, result.model_dump(by_alias=True)["isError"]


async def read_only(session):
    hello = await session.initialize()
    dump = hello.model_dump(by_alias=True)
    tell("initialize", dump["serverInfo"]["name"] == "shunt" and dump["protocolVersion"] == "2025-06-18", dump)
    tools = {tool.name: tool.model_dump(by_alias=True) for tool in (await session.list_tools()).tools}
    tell("tools", "list_traffic" in tools and "use_profile" not in tools
         and all(tool["annotations"]["readOnlyHint"] for tool in tools.values()), tools.keys())
    listed, failed = await text(session, "list_traffic", filter="~d a.test")
    shown, _ = await text(session, "show_exchange", id=1)
    status, _ = await text(session, "status")
    tell("traffic", not failed and "/cart?token=" in listed and "zq7marked" not in listed + shown
         and "* local" in status and "by mock" in shown, listed + shown + status)
    resources = (await session.list_resources()).resources
    document = await session.read_resource("shunt://help/topics/filters")
    tell("resources", len(resources) > 20 and "~c STATUS" in document.contents[0].text, len(resources))
    words, failed = await text(session, "list_traffic", filter="~zz")
    tell("errors", failed and "filter" in words, words)
    words, failed = await text(session, "use_profile", profile="staging")
    tell("refused", failed and "--allow use" in words, words)


async def changing(session):
    await session.initialize()
    words, failed = await text(session, "switch_mocks", state="off", names=["one"])
    tell("mocks", not failed and "off" in words, words)
    words, failed = await text(session, "use_profile", profile="staging")
    tell("use", not failed and "staging is active" in words, words)


async def main():
    for options, body in [([], read_only), (["--allow", "use,mocks"], changing)]:
        server = StdioServerParameters(command=shunt, args=["mcp", *options], cwd=folder)
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            await body(session)

asyncio.run(main())
