"""A client that openapi-python-client makes of openapi.json: ingest, retrieve, query, a stream."""

import json
import subprocess
import sys
import tempfile

from common import KEY, QUESTION, URL, expect

temporary = tempfile.TemporaryDirectory()
folder = temporary.name
made = subprocess.run(
    [
        *(sys.executable, "-c", "from openapi_python_client.cli import app; app()"),
        *("generate", "--path", "../../openapi.json", "--output-path", f"{folder}/lectern_api", "--meta", "none"),
    ],
    capture_output=True,
    text=True,
)
expect(made.returncode == 0, made)
# What it cannot read it leaves out, with a warning.
expect("schema" not in made.stdout.lower() and "unsupported" not in made.stdout.lower(), made.stdout)
sys.path.insert(0, folder)

from lectern_api import AuthenticatedClient
from lectern_api.api.completion import query
from lectern_api.api.ingestion import ingest_text
from lectern_api.api.retrieval import retrieve_chunks
from lectern_api.models import IngestTextRequest, LlmConfigDto, QueryDto, RetrieveChunksDto

client = AuthenticatedClient(base_url=URL, token=KEY)
record = ingest_text.sync(client=client, body=IngestTextRequest(content="The lamp is green.", end_user_id="generated"))
expect(record.external_id, record)

chunks = retrieve_chunks.sync(client=client, body=RetrieveChunksDto(query=QUESTION, k=2))
expect("kilograms" in chunks[0].content, chunks)

asking = QueryDto(query=QUESTION, llm_config=LlmConfigDto(model="extractive"))
answer = query.sync(client=client, body=asking)
expect("kilograms" in answer.completion and len(answer.sources) > 0, answer)

asking.stream_response = True
with client.get_httpx_client().stream(**query._get_kwargs(body=asking)) as response:
    events = [json.loads(line[6:]) for line in response.iter_lines() if line.startswith("data: ")]
expect(events[-1]["type"] == "done", events)
expect("kilograms" in "".join(event.get("content", "") for event in events), events)
