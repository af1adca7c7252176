from common import BASE, KEY, LOOKUP, OLD, OLD_ANSWER, PASSAGES, QUESTION, expect
from openai import OpenAI

client = OpenAI(base_url=BASE, api_key=KEY, max_retries=0)
MESSAGES = [{"role": "user", "content": QUESTION}]

answer = client.chat.completions.create(model=PASSAGES, messages=MESSAGES, extra_body=OLD)
expect(OLD_ANSWER in answer.choices[0].message.content, answer)

stream = client.chat.completions.create(model=PASSAGES, messages=MESSAGES, extra_body=OLD, stream=True)
text = "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)
expect(OLD_ANSWER in text, text)

answer = client.chat.completions.create(model="lectern", messages=MESSAGES, tools=[LOOKUP])
[call] = answer.choices[0].message.tool_calls
expect((call.function.name, call.function.arguments) == ("lookup", '{"word":"x"}'), call)
with client.chat.completions.stream(model="lectern", messages=MESSAGES, tools=[LOOKUP]) as events:
    [streamed] = events.get_final_completion().choices[0].message.tool_calls
expect(streamed.function.arguments == '{"word":"x"}', streamed)

vectors = client.embeddings.create(model="lectern", input=["blue", "green"]).data
expect(len(vectors) == 2 and len(vectors[0].embedding) > 1, vectors)
expect("lectern" in [model.id for model in client.models.list()], "models")
