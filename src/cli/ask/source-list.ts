/** A chunk that an answer was made from. */
export interface Source {
  readonly document_id: string;
  readonly chunk_number: number;
  readonly score: number | null;
}

/** What `/batch/chunks` says of it. */
export interface KnownSource {
  readonly document_id: string;
  readonly chunk_number: number;
  readonly filename: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A line for each source, in the order given to the model. One that is gone meanwhile has its id for a name. */
export function sourceList(sources: readonly Source[], known: readonly KnownSource[]): string[] {
  const keyOf = ({ document_id, chunk_number }: Source | KnownSource): string =>
    `${document_id}-${chunk_number}`;
  const byKey = new Map(known.map((chunk) => [keyOf(chunk), chunk]));
  return sources.map((source, index) => {
    const chunk = byKey.get(keyOf(source));
    const page = chunk?.metadata['page_number'];
    const place = typeof page === 'number' ? `page ${page}` : `chunk ${source.chunk_number}`;
    const score = source.score === null ? '' : `  ${source.score.toFixed(3)}`;
    return `${index + 1}. ${chunk?.filename ?? source.document_id}, ${place}${score}`;
  });
}
