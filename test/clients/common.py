"""Where the service is, and what its two documents say (see clients.e2e.ts)."""

import os

URL = os.environ["LECTERN_URL"]
KEY = os.environ["LECTERN_API_KEY"]
BASE = f"{URL}/v1"
QUESTION = "How much does the device weigh?"

# The best passages answer, without a language model; which document they are from shows whether a filter arrived.
PASSAGES = "extractive"
OLD = {"filters": {"year": 2024}}
OLD_ANSWER = "nine kilograms"

# A vector store with one file, and a name of OpenAI's under which the configured model answers.
STORE = os.environ["LECTERN_STORE"]
CITED = "weights.txt"
MODEL = "gpt-4.1-mini"

LOOKUP = {
    "type": "function",
    "function": {
        "name": "lookup",
        "parameters": {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
    },
}


def expect(condition: object, what: object) -> None:
    """Ends the program with what there is instead of what was expected."""
    if not condition:
        raise SystemExit(f"unexpected: {what!r}")
