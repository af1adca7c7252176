"""The default model class, which calls responses. OPENAI_BASE_URL and OPENAI_API_KEY are all that changes."""

import asyncio

from common import MODEL, QUESTION, STORE, expect
from pydantic import BaseModel
from pydantic_ai import Agent, FileSearchTool
from pydantic_ai.capabilities import NativeTool


class Weight(BaseModel):
    """What a device weighs."""

    kilograms: int


model = f"openai:{MODEL}"
searching = Agent(model, capabilities=[NativeTool(FileSearchTool(file_store_ids=[STORE]))])
first = searching.run_sync(QUESTION)
expect("nine kilograms" in first.output, first)
second = searching.run_sync("Really?", message_history=first.all_messages())
expect("kilograms" in second.output, second)


async def streamed() -> str:
    async with searching.run_stream(QUESTION) as result:
        return await result.get_output()


expect(asyncio.run(streamed()) == first.output, "stream")
expect("kilograms" in Agent(model).run_sync(QUESTION).output, "without a search")
expect(isinstance(Agent(model, output_type=Weight).run_sync(QUESTION).output, Weight), "output")

agent = Agent(model)
looked_up = []


@agent.tool_plain
def lookup(word: str) -> str:
    """Looks a word up."""
    looked_up.append(word)
    return f"{word} is a word"


output = agent.run_sync(QUESTION).output
expect(looked_up == ["x"] and "kilograms" in output, (looked_up, output))
