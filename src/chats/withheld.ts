import { EXTRACTIVE } from '../models/llm/no-language-model.js';
import type { Evidence, Quotation } from './evidence.js';

/** Stands in an answer for a quote of a document that the reader may not read. */
export const WITHHELD = '[quote withheld]';

export interface Quoting {
  readonly content: string;
  readonly evidence: Evidence | null;
}

type Span = Pick<Quotation, 'start' | 'end'>;

/** Ids of the documents in the evidence of answers, each once. */
export function documentsIn(answers: readonly Quoting[]): string[] {
  return [...new Set(answers.flatMap(({ evidence }) => (evidence === null ? [] : idsIn(evidence))))];
}

/**
 * Removes quotes from documents that the reader may not read: from citations, from sources, and from the text of the
 * answer. What the model says in its own words remains.
 *
 * @param mayRead whether the reader may read the document with this id
 */
export function withoutHiddenQuotes<T extends Quoting>(answer: T, mayRead: (id: string) => boolean): T {
  const { content, evidence } = answer;
  if (evidence === null || idsIn(evidence).every(mayRead)) return answer;
  const spans = joined(hiddenSpans(content, evidence, mayRead));
  const moved = (offset: number): number => movedOffset(offset, spans);
  const citations = evidence.citations.map((one) => {
    const placed = { ...one, start: moved(one.start), end: moved(one.end) };
    return mayRead(one.document_id) ? placed : { ...placed, quote: null, withheld: true as const };
  });
  const sources = evidence.sources.map((one) => {
    if (mayRead(one.document_id)) return one;
    const attributes = one.attributes === undefined ? {} : { attributes: {} };
    return { ...one, excerpt: '', ...attributes, withheld: true as const };
  });
  const quotations = evidence.quotations
    ?.filter(({ document_id }) => mayRead(document_id))
    .map((one) => ({ ...one, start: moved(one.start), end: moved(one.end) }));
  return {
    ...answer,
    content: cut(content, spans),
    evidence: { ...evidence, citations, sources, ...(quotations === undefined ? {} : { quotations }) },
  };
}

/** Ids of the documents in the evidence of an answer, in any order and repeated. */
export function idsIn({ citations, sources, quotations = [] }: Evidence): string[] {
  return [...citations, ...sources, ...quotations].map(({ document_id }) => document_id);
}

/** The parts of the text that repeat hidden documents, in any order. */
function hiddenSpans(text: string, evidence: Evidence, mayRead: (id: string) => boolean): Span[] {
  const { citations, quotations, model } = evidence;
  // An older answer without a model does not tell which of its parts repeat which document.
  if (quotations === undefined && model === EXTRACTIVE) return [{ start: 0, end: text.length }];
  const shown = new Set(
    citations.filter(({ document_id }) => mayRead(document_id)).map(({ quote }) => quote?.trim()),
  );
  const hidden = citations.flatMap(({ document_id, quote }) => {
    const words = quote?.trim() ?? '';
    return words === '' || mayRead(document_id) || shown.has(words) ? [] : [words];
  });
  return [
    ...(quotations ?? []).filter(({ document_id }) => !mayRead(document_id)),
    ...[...new Set(hidden)].flatMap((words) => occurrences(text, words)),
  ];
}

function occurrences(text: string, words: string): Span[] {
  const found: Span[] = [];
  for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + words.length)) {
    found.push({ start: at, end: at + words.length });
  }
  return found;
}

/** Sorts spans and joins overlapping ones. */
function joined(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last === undefined || span.start >= last.end) result.push(span);
    else result[result.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
  }
  return result;
}

function cut(text: string, spans: readonly Span[]): string {
  let kept = '';
  let at = 0;
  for (const { start, end } of spans) {
    kept += text.slice(at, start) + WITHHELD;
    at = end;
  }
  return kept + text.slice(at);
}

/** Returns an offset in the text after the spans are replaced. An offset within a span moves to the end of its notice. */
function movedOffset(offset: number, spans: readonly Span[]): number {
  let shift = 0;
  for (const { start, end } of spans) {
    if (offset <= start) break;
    if (offset < end) return start + shift + WITHHELD.length;
    shift += WITHHELD.length - (end - start);
  }
  return offset + shift;
}
