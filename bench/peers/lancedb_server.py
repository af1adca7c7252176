"""LanceDB behind FastAPI: hybrid search with reciprocal rank fusion. Usage: python lancedb_server.py FOLDER PORT"""

import sys

import lancedb
import pyarrow as pa
import uvicorn
from bodies import Passage, Question
from fastapi import FastAPI

FLAGS = ["tenth", "hundredth", "thousandth"]
database = lancedb.connect(sys.argv[1])
app = FastAPI()


@app.post("/add")
def add(passages: list[Passage]) -> int:
    rows = [{"id": p.id, "text": p.text, "vector": p.vector, **p.metadata} for p in passages]
    if "passages" in database.table_names():
        database.open_table("passages").add(rows)
    else:
        schema = pa.schema(
            [("id", pa.string()), ("text", pa.string()), ("vector", pa.list_(pa.float32(), len(rows[0]["vector"])))]
            + [(flag, pa.bool_()) for flag in FLAGS]
        )
        database.create_table("passages", rows, schema=schema)
    return len(rows)


@app.post("/index")
def index() -> int:
    table = database.open_table("passages")
    table.create_index(metric="cosine", vector_column_name="vector", index_type="IVF_HNSW_SQ")
    table.create_fts_index("text")
    for flag in FLAGS:
        table.create_scalar_index(flag, index_type="BITMAP")
    table.optimize()
    return table.count_rows()


@app.get("/ready")
def ready() -> bool:
    return True


table = None


@app.post("/search")
def search(question: Question) -> list[str]:
    global table
    table = table or database.open_table("passages")
    found = table.search(query_type="hybrid").vector(question.vector).text(question.text)
    if question.filter is not None:
        found = found.where(f"{question.filter} = true", prefilter=True)
    return [row["id"] for row in found.limit(question.k).to_list()]


uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), log_level="warning")
