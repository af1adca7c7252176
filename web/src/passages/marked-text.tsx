import type { JSX } from 'preact';
import { wordsOf, type Span } from './marks.js';

/** A text with highlighted query words. */
export function MarkedText({
  text,
  question,
}: {
  readonly text: string;
  readonly question: string;
}): JSX.Element {
  return <>{withMarks(text, wordsOf(text, question))}</>;
}

/** @param spans in order, without overlaps */
function withMarks(text: string, spans: readonly Span[]): (string | JSX.Element)[] {
  const parts: (string | JSX.Element)[] = [];
  let end = 0;
  for (const span of spans) {
    parts.push(text.slice(end, span.start), <mark key={span.start}>{text.slice(span.start, span.end)}</mark>);
    end = span.end;
  }
  return [...parts, text.slice(end)];
}
