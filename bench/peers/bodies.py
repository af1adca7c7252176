"""Bodies of the requests that bench/peers/python-servers.mjs sends."""

from pydantic import BaseModel


class Passage(BaseModel):
    id: str
    text: str
    vector: list[float]
    metadata: dict[str, bool]


class Question(BaseModel):
    text: str
    vector: list[float]
    k: int
    filter: str | None = None
