from common import BASE, KEY, OLD, OLD_ANSWER, PASSAGES, QUESTION, expect
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

provider = OpenAIProvider(base_url=BASE, api_key=KEY)


class Weight(BaseModel):
    """What a device weighs."""

    kilograms: int


old = Agent(OpenAIChatModel(PASSAGES, provider=provider), model_settings={"extra_body": OLD})
expect(OLD_ANSWER in old.run_sync(QUESTION).output, "text")

lectern = OpenAIChatModel("lectern", provider=provider)
expect(isinstance(Agent(lectern, output_type=Weight).run_sync(QUESTION).output, Weight), "output")

agent = Agent(lectern)
looked_up = []


@agent.tool_plain
def lookup(word: str) -> str:
    """Looks a word up."""
    looked_up.append(word)
    return f"{word} is a word"


output = agent.run_sync(QUESTION).output
expect(looked_up == ["x"] and "kilograms" in output, (looked_up, output))
