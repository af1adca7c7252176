import { contentTerms } from '../../../lexical/analyse.js';
import { cellsOf } from '../../passages/sentences.js';
import { itemsOf, type Candidate } from '../candidates.js';
import { plainSentence } from '../plain-sentence.js';
import { wordsOf } from './property.js';

/** Texts of the first list that the sentences give: items under one, or members in it. */
export function membersFor(sentences: readonly Candidate[], candidates: readonly Candidate[]): string[] {
  for (const candidate of sentences) {
    const items = itemsOf(candidate, candidates).map(({ sentence }) => plainSentence(sentence));
    const members = items.length > 0 ? items : enumerationIn(candidate.sentence.text);
    if (members.length > 0) return members;
  }
  return [];
}

/** Members of an enumeration in a sentence: `red, green and blue` after a colon or verb; none in other sentences. */
function enumerationIn(sentence: string): string[] {
  const listed =
    /[:：]\s*(.*)$/s.exec(sentence)?.[1] ??
    /\b(?:are|is|include|includes|including|in|supports?|available in)\s+(.+)$/i.exec(sentence)?.[1] ??
    '';
  const members = listed
    .replace(/[.。!]$/, '')
    .split(/\s*(?:[,;，；、]|\band\b|\bor\b|和|或)\s*/i)
    .map((member) => member.trim())
    .filter((member) => member !== '');
  return members.length > 1 && members.every((member) => member.length <= 60) ? members : [];
}

/** Rows of the table whose columns' names have most of `names`, as lines `name: cell`; none when none has two of them. */
export function rowsNaming(names: readonly string[], candidates: readonly Candidate[]): string[] {
  let best: { rows: string[]; matched: number } = { rows: [], matched: 1 };
  for (const table of new Set(candidates.map(({ columns }) => columns))) {
    const columns = table.map((title) => names.find((name) => sharesTerm(name, title)));
    const matched = columns.filter((name) => name !== undefined).length;
    if (matched <= best.matched) continue;
    const rows = candidates.filter((candidate) => candidate.columns === table);
    best = { rows: rows.map(({ sentence }) => fieldsOf(columns, cellsOf(sentence.text))), matched };
  }
  return best.rows;
}

/** A field for each column with a name, so that its cell is found by that name. */
function fieldsOf(columns: readonly (string | undefined)[], cells: readonly string[]): string {
  return columns
    .flatMap((name, at) => (name === undefined ? [] : [`${wordsOf(name)}: ${cells[at] ?? ''}`]))
    .join('\n');
}

function sharesTerm(name: string, title: string): boolean {
  const wanted = new Set(contentTerms(wordsOf(name)));
  return contentTerms(title).some((term) => wanted.has(term));
}
