import os
from importlib.util import find_spec

# The table of tokens that comes with LiteLLM, so that none is fetched.
[litellm] = find_spec("litellm").submodule_search_locations
os.environ["TIKTOKEN_CACHE_DIR"] = f"{litellm}/litellm_core_utils/tokenizers"

from common import BASE, KEY, OLD, OLD_ANSWER, PASSAGES, QUESTION, expect
from langchain.agents import create_agent
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from pydantic import BaseModel


def chat(model: str, **more) -> ChatOpenAI:
    return ChatOpenAI(model=model, base_url=BASE, api_key=KEY, max_retries=0, **more)


class Weight(BaseModel):
    """What a device weighs."""

    kilograms: int


def lookup(word: str) -> str:
    """Looks a word up."""
    return f"{word} is a word"


old = chat(PASSAGES, extra_body=OLD)
expect(OLD_ANSWER in old.invoke(QUESTION).content, "invoke")
expect(OLD_ANSWER in "".join(chunk.content for chunk in old.stream(QUESTION)), "stream")

# The tokens of cl100k, unless it is told otherwise.
embeddings = OpenAIEmbeddings(model="lectern", base_url=BASE, api_key=KEY)
expect(len(embeddings.embed_documents(["blue", "green"])) == 2, "embeddings")

expect(chat("lectern").bind_tools([lookup]).invoke(QUESTION).tool_calls[0]["name"] == "lookup", "tools")
for method in ("function_calling", "json_schema"):
    weight = chat("lectern").with_structured_output(Weight, method=method).invoke(QUESTION)
    expect(isinstance(weight, Weight), (method, weight))

messages = create_agent(chat("lectern"), [lookup]).invoke({"messages": [("user", QUESTION)]})["messages"]
expect([message.type for message in messages] == ["human", "ai", "tool", "ai"], messages)

# An agent whose model calls nothing is answered all the same.
messages = create_agent(old, [lookup]).invoke({"messages": [("user", QUESTION)]})["messages"]
expect(OLD_ANSWER in messages[-1].content, messages)
