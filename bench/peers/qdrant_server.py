"""Qdrant Edge (Qdrant's engine as a library) behind FastAPI: vectors and BM25 with reciprocal rank fusion.

python qdrant_server.py FOLDER PORT
"""

import os
import sys

import qdrant_edge as qdrant
import uvicorn
from bodies import Passage, Question
from fastapi import FastAPI

FOLDER = os.path.join(sys.argv[1], "shard")
AVERAGE_WORDS = 90.0
PREFETCHED = 50
RANK_CONSTANT = 60
bm25 = qdrant.Bm25(qdrant.Bm25Config(avg_len=AVERAGE_WORDS))
app = FastAPI()
shard = None
added = 0


def create(dimensions: int) -> qdrant.EdgeShard:
    os.makedirs(FOLDER)
    config = qdrant.EdgeConfig(
        vectors={"dense": qdrant.EdgeVectorParams(size=dimensions, distance=qdrant.Distance.Cosine)},
        sparse_vectors={"bm25": qdrant.EdgeSparseVectorParams(modifier=qdrant.Modifier.Idf)},
        optimizers=qdrant.EdgeOptimizersConfig(indexing_threshold=1_000),
    )
    created = qdrant.EdgeShard.create(FOLDER, config)
    created.update(qdrant.UpdateOperation.create_field_index("flags", qdrant.PayloadSchemaType.Keyword))
    return created


def point(number: int, passage: Passage) -> qdrant.Point:
    flags = [name for name, is_set in passage.metadata.items() if is_set]
    vectors = {"dense": passage.vector, "bm25": bm25.embed_document(passage.text)}
    return qdrant.Point(
        id=number, vector=vectors, payload={"passage": passage.id, "text": passage.text, "flags": flags}
    )


@app.post("/add")
def add(passages: list[Passage]) -> int:
    global shard, added
    shard = shard or create(len(passages[0].vector))
    points = [point(added + at, passage) for at, passage in enumerate(passages, start=1)]
    shard.update(qdrant.UpdateOperation.upsert_points(points))
    added += len(points)
    return len(points)


@app.post("/index")
def index() -> int:
    shard.optimize()
    shard.flush()
    return added


@app.get("/ready")
def ready() -> bool:
    return True


@app.post("/search")
def search(question: Question) -> list[str]:
    has_flag = question.filter and qdrant.Filter(
        must=[qdrant.FieldCondition(key="flags", match=qdrant.MatchValue(value=question.filter))]
    )
    queries = [
        qdrant.Query.Nearest(question.vector, "dense"),
        qdrant.Query.Nearest(bm25.embed_query(question.text), "bm25"),
    ]
    request = qdrant.QueryRequest(
        limit=question.k,
        query=qdrant.Fusion.Rrf(k=RANK_CONSTANT),
        prefetches=[qdrant.Prefetch(limit=PREFETCHED, query=query, filter=has_flag or None) for query in queries],
        with_payload=True,
    )
    return [found.payload["passage"] for found in shard.query(request)]


uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), log_level="warning")
