/** A chunk that an answer was made from. */
export interface Source {
  readonly document_id: string;
  readonly chunk_number: number;
  readonly score: number | null;
}

/** What the service says of a chunk. */
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
    const score = source.score === null ? '' : `  ${source.score.toFixed(3)}`;
    const place = placeOf({ filename: null, metadata: {}, ...source, ...chunk });
    return `${index + 1}. ${place}${score}`;
  });
}

/** What a person calls the place of a chunk: file and page, or as much of it as is known. */
export function placeOf({ document_id, chunk_number, filename, metadata }: KnownSource): string {
  const page = metadata['page_number'];
  const place = typeof page === 'number' ? `page ${page}` : `chunk ${chunk_number}`;
  return `${filename ?? document_id}, ${place}`;
}
