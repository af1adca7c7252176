import type { ChatTurn, Citation } from '../api/lectern.js';
import { t } from '../language/translate.js';

/** A chat as Markdown: questions as headings, citations as footnotes with document, page and quote. */
export function chatMarkdown(title: string, turns: readonly ChatTurn[]): string {
  /** Numbers of the footnotes. */
  const notes = new Map<string, number>();
  const parts = turns.map(({ role, content, citations = [] }) =>
    role === 'user' ? `## ${oneLine(content)}` : withNotes(content, citations, notes),
  );
  const lines = [...notes].map(([note, number]) => `[^${number}]: ${note}`);
  return `${[`# ${oneLine(title)}`, ...parts, lines.join('\n')].join('\n\n').trimEnd()}\n`;
}

function withNotes(content: string, citations: readonly Citation[], notes: Map<string, number>): string {
  let text = '';
  let end = 0;
  for (const citation of citations.toSorted((one, other) => one.start - other.start)) {
    const note = noteOf(citation);
    const number = notes.get(note) ?? notes.size + 1;
    notes.set(note, number);
    text += `${content.slice(end, citation.start)}[^${number}]`;
    end = citation.end;
  }
  return text + content.slice(end);
}

function noteOf({ filename, document_id: id, page_number: page, quote }: Citation): string {
  const name = filename ?? id;
  const place = page === null ? name : t('chats.notePage', { name, page });
  return quote === null ? place : t('chats.noteQuote', { place, quote: oneLine(quote) });
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ');
}
