import asyncio

from common import KEY, QUESTION, URL, expect
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
import httpx2


async def main() -> None:
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {KEY}"}) as http:
        async with streamable_http_client(f"{URL}/mcp", http_client=http) as (read, write, *_):
            async with ClientSession(read, write) as session:
                await session.initialize()
                names = [tool.name for tool in (await session.list_tools()).tools]
                print(names)
                result = await session.call_tool(names[0], {"query": QUESTION})
                expect(not result.is_error and "kilograms" in str(result.content), result)


asyncio.run(main())
