import { composed } from '../../json/spelling.js';
import type { RetrievedChunk } from '../../retrieval/retrieval.types.js';
import { pagesOf } from '../../retrieval/present.js';
import { pageLabel, passageLabel, type PromptPassage } from '../prompt/prompt.js';
import { type NumberedSource, referencesIn } from './marker.js';

/** A cited passage, and the page that the marker names, if any. */
export interface Source {
  readonly chunk: RetrievedChunk;
  readonly page?: number;
}

/** The passages that an answer may cite, by their numbers and labels in the prompt. */
export class CitableSources {
  private readonly byNumber: ReadonlyMap<number, RetrievedChunk>;
  private readonly byLabel: ReadonlyMap<string, Source>;
  private readonly references: ReadonlySet<number>;

  constructor(passages: readonly PromptPassage[]) {
    const chunks = passages.map(({ chunk }) => chunk);
    this.byNumber = new Map(passages.map(({ number, chunk }) => [number, chunk]));
    this.byLabel = byLabel(chunks);
    this.references = new Set(chunks.flatMap(({ content }) => referencesIn(content)));
  }

  has(number: number): boolean {
    return this.byNumber.has(number);
  }

  /** Whether the passages themselves carry this number in brackets, as a reference to something else. */
  carry(number: number): boolean {
    return this.references.has(number);
  }

  /** The passages with these numbers. Ignores unknown numbers, and pages that a passage does not have. */
  numbered(sources: readonly NumberedSource[]): Source[] {
    const found = new Map<RetrievedChunk, Source>();
    for (const { number, page } of sources) {
      const chunk = this.byNumber.get(number);
      if (chunk === undefined || found.has(chunk)) continue;
      const isKnown = page !== undefined && pagesOf(chunk).includes(page);
      found.set(chunk, isKnown ? { chunk, page } : { chunk });
    }
    return [...found.values()];
  }

  labelled(label: string): Source | undefined {
    return this.byLabel.get(keyOf(label));
  }
}

/**
 * Sources by label. If several chunks have the same label, the first chunk is used. A chunk that contains a page only
 * in its overlap comes after all other chunks.
 */
function byLabel(chunks: readonly RetrievedChunk[]): ReadonlyMap<string, Source> {
  const onPage = (chunk: RetrievedChunk, page: number | undefined): [string, Source][] =>
    page === undefined ? [] : [[pageLabel(chunk, page), { chunk, page }]];
  const labels = [
    ...chunks.map((chunk): [string, Source] => [passageLabel(chunk), { chunk }]),
    ...chunks.flatMap((chunk) => onPage(chunk, chunk.pageNumber ?? undefined)),
    ...chunks.flatMap((chunk) => onPage(chunk, chunk.overlap?.pageNumber)),
    ...chunks.map((chunk): [string, Source] => [pageLabel(chunk, null), { chunk }]),
  ];
  // Reversed, because a Map keeps the last of several equal keys.
  return new Map(labels.reverse().map(([label, source]) => [keyOf(label), source]));
}

/** One spelling of a name: file systems decompose letters (NFD), and models compose them. */
function keyOf(label: string): string {
  return composed(label).toLowerCase();
}
