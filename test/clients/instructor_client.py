import instructor
from common import BASE, KEY, OLD, QUESTION, expect
from openai import OpenAI
from pydantic import BaseModel


class Weight(BaseModel):
    """What a device weighs."""

    device: str
    kilograms: int


plain = OpenAI(base_url=BASE, api_key=KEY, max_retries=0)
ask = {"messages": [{"role": "user", "content": QUESTION}], "response_model": Weight, "max_retries": 1}
for mode in (instructor.Mode.TOOLS, instructor.Mode.JSON_SCHEMA):
    weight = instructor.from_openai(plain, mode=mode).chat.completions.create(model="lectern", extra_body=OLD, **ask)
    expect(isinstance(weight, Weight), (mode, weight))

# Here the schema stands in the instructions alone, which the model of the test does not read: it is told what to say.
told = {**OLD, "llm_config": {"model": 'json:{"device": "scale", "kilograms": 9}'}}
client = instructor.from_openai(plain, mode=instructor.Mode.JSON)
weight = client.chat.completions.create(model="lectern", extra_body=told, **ask)
expect((weight.device, weight.kilograms) == ("scale", 9), weight)

# Without a language model there is no structured output, and the refusal says what is missing.
try:
    instructor.from_openai(plain).chat.completions.create(model="extractive", **ask)
    raise SystemExit("answered without a language model")
except Exception as error:
    expect("LLM_MODEL" in str(error), error)
