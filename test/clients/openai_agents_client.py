"""OPENAI_BASE_URL and OPENAI_API_KEY are all that changes."""

import asyncio

from agents import Agent, FileSearchTool, Runner, SQLiteSession, function_tool, set_tracing_disabled
from common import MODEL, QUESTION, STORE, expect

set_tracing_disabled(True)  # it is sent to OpenAI

search = FileSearchTool(vector_store_ids=[STORE], include_search_results=True)
agent = Agent(name="Weights", instructions="Be brief.", model=MODEL, tools=[search])
looked_up = []


@function_tool
def lookup(word: str) -> str:
    """Looks a word up."""
    looked_up.append(word)
    return f"{word} is a word"


async def main() -> None:
    session = SQLiteSession("weights")
    first = await Runner.run(agent, QUESTION, session=session)
    expect("nine kilograms" in first.final_output, first)
    second = await Runner.run(agent, "Really?", session=session)
    expect("kilograms" in second.final_output, second)

    streamed = Runner.run_streamed(agent, QUESTION)
    async for _ in streamed.stream_events():
        pass
    expect(streamed.final_output == first.final_output, streamed)

    calling = Agent(name="Words", model=MODEL, tools=[lookup, search])
    answer = await Runner.run(calling, QUESTION)
    expect(looked_up == ["x"] and "kilograms" in answer.final_output, (looked_up, answer))


asyncio.run(main())
