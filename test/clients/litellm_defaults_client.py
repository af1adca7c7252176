import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # nothing is fetched

import litellm
from common import BASE, CITED, KEY, MODEL, QUESTION, STORE, expect

litellm.telemetry = False
ASKING = {
    "model": f"openai/{MODEL}",
    "input": QUESTION,
    "tools": [{"type": "file_search", "vector_store_ids": [STORE]}],
    "api_base": BASE,
    "api_key": KEY,
    "num_retries": 0,
}

answer = litellm.responses(**ASKING)
[part] = answer.output[-1].content
expect("nine kilograms" in part.text, answer)
expect([citation.filename for citation in part.annotations] == [CITED], part)
events = list(litellm.responses(**ASKING, stream=True))
text = "".join(event.delta for event in events if event.type == "response.output_text.delta")
expect(text == part.text, (text, events))
expect(events[-1].type == "response.completed", events[-1])
