from common import BASE, KEY, MODEL, QUESTION, STORE, expect
from llama_index.core.llms import ChatMessage
from llama_index.core.tools import FunctionTool
from llama_index.embeddings.openai import OpenAIEmbedding
from llama_index.llms.openai import OpenAIResponses
from openai import NotFoundError


def lookup(word: str) -> str:
    """Looks a word up."""
    return f"{word} is a word"


def llm(**more) -> OpenAIResponses:
    return OpenAIResponses(model=MODEL, api_base=BASE, api_key=KEY, max_retries=0, **more)


search = {"type": "file_search", "vector_store_ids": [STORE]}
searching = llm(built_in_tools=[search])
expect("nine kilograms" in str(searching.complete(QUESTION)), "complete")
expect("nine kilograms" in list(searching.stream_complete(QUESTION))[-1].text, "stream")
messages = [ChatMessage(role="user", content=QUESTION)]
answer = searching.chat(messages).message
expect("nine kilograms" in answer.content, answer)
turns = [*messages, answer, ChatMessage(role="user", content="Really?")]
expect("kilograms" in searching.chat(turns).message.content, "turns")

called = llm().chat_with_tools([FunctionTool.from_defaults(lookup)], user_msg=QUESTION)
expect(llm().get_tool_calls_from_response(called)[0].tool_name == "lookup", called)

try:
    OpenAIEmbedding(api_base=BASE, api_key=KEY, max_retries=0).get_text_embedding("blue")
    raise SystemExit("embedded with a model that is not here")
except NotFoundError as error:
    expect("also called lectern" in str(error), error)
