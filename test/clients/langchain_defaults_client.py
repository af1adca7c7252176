"""Responses instead of chat completions. OPENAI_BASE_URL and OPENAI_API_KEY are all that changes."""

import os
from importlib.util import find_spec

# The table of tokens that comes with LiteLLM, so that none is fetched.
[litellm] = find_spec("litellm").submodule_search_locations
os.environ["TIKTOKEN_CACHE_DIR"] = f"{litellm}/litellm_core_utils/tokenizers"

from common import CITED, MODEL, QUESTION, STORE, expect
from langchain.agents import create_agent
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from openai import NotFoundError
from pydantic import BaseModel


class Weight(BaseModel):
    """What a device weighs."""

    kilograms: int


def lookup(word: str) -> str:
    """Looks a word up."""
    return f"{word} is a word"


search = {"type": "file_search", "vector_store_ids": [STORE]}
chat = ChatOpenAI(model=MODEL, use_responses_api=True, max_retries=0)
searching = chat.bind_tools([search])

answer = searching.invoke(QUESTION)
expect("nine kilograms" in answer.text, answer)
expect(CITED in str(answer.content), answer.content)
expect("".join(chunk.text for chunk in searching.stream(QUESTION)) == answer.text, "stream")
expect("kilograms" in searching.invoke([("user", QUESTION), answer, ("user", "Really?")]).text, "turns")

weight = chat.with_structured_output(Weight).invoke(QUESTION)
expect(isinstance(weight, Weight), weight)
messages = create_agent(chat, [lookup, search]).invoke({"messages": [("user", QUESTION)]})["messages"]
expect([message.type for message in messages] == ["human", "ai", "tool", "ai"], messages)

expect(len(OpenAIEmbeddings(model="lectern").embed_query("blue")) > 1, "embeddings")
try:
    OpenAIEmbeddings().embed_query("blue")
    raise SystemExit("embedded with a model that is not here")
except NotFoundError as error:
    expect("also called lectern" in str(error), error)
