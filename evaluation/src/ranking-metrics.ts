/**
 * Discounted cumulative gain with linear gain, as in trec_eval's ndcg_cut: the sum of grade / log2(rank + 1). Järvelin
 * and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", 2002.
 */
function gain(grades: readonly number[]): number {
  return grades.reduce((sum, grade, index) => sum + grade / Math.log2(index + 2), 0);
}

/** Positive relevance grades by id; other ids have grade 0. */
export type Grades = ReadonlyMap<string, number>;

/**
 * nDCG of a ranking at `depth`, in [0, 1].
 *
 * @param ranking ids, best first
 */
export function ndcg(ranking: readonly string[], grades: Grades, depth: number): number {
  const found = ranking.slice(0, depth).map((id) => grades.get(id) ?? 0);
  const ideal = [...grades.values()].sort((a, b) => b - a).slice(0, depth);
  return gain(found) / gain(ideal);
}

export function recall(ranking: readonly string[], grades: Grades, depth: number): number {
  return ranking.slice(0, depth).filter((id) => grades.has(id)).length / grades.size;
}

/** 1 / rank of the first relevant result; 0 if no result is relevant. The mean over the questions is MRR. */
export function reciprocalRank(ranking: readonly string[], grades: Grades): number {
  const index = ranking.findIndex((id) => grades.has(id));
  return index === -1 ? 0 : 1 / (index + 1);
}

/** Ranks documents by their best chunk: removes repeated ids and keeps the first occurrence of each. */
export function byBestChunk(ids: readonly string[]): string[] {
  return [...new Set(ids)];
}
