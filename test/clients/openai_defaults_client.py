"""As an application of OpenAI: OPENAI_BASE_URL and OPENAI_API_KEY are all that changes."""

import time

from common import MODEL, QUESTION, expect
from openai import OpenAI
from pydantic import BaseModel


class Weight(BaseModel):
    """What a device weighs."""

    kilograms: int


client = OpenAI()
store = client.vector_stores.create(name="From Python")
started = time.monotonic()
file = client.vector_stores.files.upload_and_poll(
    vector_store_id=store.id,
    file=("weights.txt", b"The device weighs nine kilograms."),
    attributes={"year": 2024, "checked": True},
)
expect((file.status, file.last_error) == ("completed", None), file)
expect(time.monotonic() - started < 5, time.monotonic() - started)
batch = client.vector_stores.file_batches.upload_and_poll(
    store.id, files=[("green.txt", b"The lamp is green."), ("blue.txt", b"The lamp is blue.")]
)
expect((batch.status, batch.file_counts.completed) == ("completed", 2), batch)

search = {"type": "file_search", "vector_store_ids": [store.id]}
asking = {"model": MODEL, "input": QUESTION, "tools": [search]}
response = client.responses.create(**asking, include=["file_search_call.results"])
expect("nine kilograms" in response.output_text, response)
expect(response.output[0].results[0].attributes == {"year": 2024, "checked": True}, response.output[0])
[citation] = response.output[1].content[0].annotations
expect((citation.file_id, citation.filename) == (file.id, "weights.txt"), citation)
response.model_dump_json()

with client.responses.stream(**asking) as stream:
    types = [event.type for event in stream]
    streamed = stream.get_final_response()
expect("response.output_text.annotation.added" in types, types)
expect(streamed.output_text == response.output_text, streamed)

follow_up = client.responses.create(**{**asking, "input": "And the lamp?"}, previous_response_id=response.id)
expect([item.role for item in client.responses.input_items.list(follow_up.id)] == ["user"], follow_up)
parsed = client.responses.parse(**asking, text_format=Weight).output_parsed
expect(isinstance(parsed, Weight), parsed)

filters = {"type": "eq", "key": "year", "value": 2024}
found = client.vector_stores.search(store.id, query=QUESTION, filters=filters).data
expect([result.filename for result in found] == ["weights.txt"], found)

client.files.delete(file.id)
client.vector_stores.delete(store.id)
client.responses.delete(response.id)
