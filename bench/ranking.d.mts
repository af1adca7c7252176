export function ndcg(ranking: readonly string[], grades: ReadonlyMap<string, number>, depth: number): number;
export function recall(
  ranking: readonly string[],
  grades: ReadonlyMap<string, number>,
  depth: number,
): number;
export function byBestChunk(ids: readonly string[]): string[];
