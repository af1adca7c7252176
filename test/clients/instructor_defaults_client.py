"""OPENAI_BASE_URL and OPENAI_API_KEY are all that changes."""

import instructor
from common import MODEL, QUESTION, expect
from pydantic import BaseModel


class Weight(BaseModel):
    """What a device weighs."""

    device: str
    kilograms: int


for mode in (instructor.Mode.TOOLS, instructor.Mode.RESPONSES_TOOLS):
    client = instructor.from_provider(f"openai/{MODEL}", mode=mode)
    asking = {"messages": [{"role": "user", "content": QUESTION}], "response_model": Weight, "max_retries": 1}
    weight = client.create(**asking)
    expect(isinstance(weight, Weight), (mode, weight))
