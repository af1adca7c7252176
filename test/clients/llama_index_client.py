from common import BASE, KEY, OLD, OLD_ANSWER, PASSAGES, QUESTION, expect
from llama_index.core.llms import ChatMessage
from llama_index.core.tools import FunctionTool
from llama_index.embeddings.openai_like import OpenAILikeEmbedding
from llama_index.llms.openai_like import OpenAILike


def llm(model: str, **more) -> OpenAILike:
    return OpenAILike(
        model=model, api_base=BASE, api_key=KEY, is_chat_model=True, is_function_calling_model=True, max_retries=0, **more
    )


def lookup(word: str) -> str:
    """Looks a word up."""
    return f"{word} is a word"


messages = [ChatMessage(role="user", content=QUESTION)]
old = llm(PASSAGES, additional_kwargs={"extra_body": OLD})
expect(OLD_ANSWER in old.chat(messages).message.content, "chat")
expect(OLD_ANSWER in list(old.stream_chat(messages))[-1].message.content, "stream")

tool = FunctionTool.from_defaults(lookup)
answer = llm("lectern").chat_with_tools([tool], user_msg=QUESTION)
expect(llm("lectern").get_tool_calls_from_response(answer)[0].tool_name == "lookup", answer)

vectors = OpenAILikeEmbedding(model_name="lectern", api_base=BASE, api_key=KEY).get_text_embedding_batch(["blue", "green"])
expect(len(vectors) == 2, vectors)
