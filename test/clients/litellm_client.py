import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # nothing is fetched

import litellm
from common import BASE, KEY, LOOKUP, OLD, OLD_ANSWER, PASSAGES, QUESTION, expect

litellm.telemetry = False
TO = {"api_base": BASE, "api_key": KEY, "num_retries": 0}
MESSAGES = [{"role": "user", "content": QUESTION}]

answer = litellm.completion(model=f"openai/{PASSAGES}", messages=MESSAGES, extra_body=OLD, **TO)
expect(OLD_ANSWER in answer.choices[0].message.content, answer)
chunks = litellm.completion(model=f"openai/{PASSAGES}", messages=MESSAGES, extra_body=OLD, stream=True, **TO)
text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
expect(OLD_ANSWER in text, text)

answer = litellm.completion(model="openai/lectern", messages=MESSAGES, tools=[LOOKUP], **TO)
expect(answer.choices[0].message.tool_calls[0].function.name == "lookup", answer)
vectors = litellm.embedding(model="openai/lectern", input=["blue", "green"], **TO).data
expect(len(vectors) == 2, vectors)
