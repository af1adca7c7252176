/**
 * Discounted cumulative gain with linear gain, as trec_eval's ndcg_cut: the sum of grade / log2(rank + 1).
 * Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", 2002.
 */
function gain(grades) {
  return grades.reduce((sum, grade, index) => sum + grade / Math.log2(index + 2), 0);
}

/**
 * nDCG at `depth` of one ranking.
 * @param ranking document ids, best first
 * @param grades Map of document id to grade > 0; documents that are not in it have grade 0
 * @returns in [0, 1]
 */
export function ndcg(ranking, grades, depth) {
  const found = ranking.slice(0, depth).map((id) => grades.get(id) ?? 0);
  const ideal = [...grades.values()].sort((a, b) => b - a).slice(0, depth);
  return gain(found) / gain(ideal);
}

/** Share of the relevant documents (grade > 0) among the first `depth` of one ranking. */
export function recall(ranking, grades, depth) {
  return ranking.slice(0, depth).filter((id) => grades.has(id)).length / grades.size;
}

/** Documents by their best chunk: the ids of a chunk ranking, each at its first place. */
export function byBestChunk(ids) {
  return [...new Set(ids)];
}
