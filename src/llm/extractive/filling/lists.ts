import { contentTerms } from '../../../lexical/analyse.js';
import { itemsOf, type Candidate } from '../candidates.js';
import { plainSentence } from '../wording.js';
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

/** Rows of the table whose headers name most of `names`, as lines `name: cell`; none when no table names two of them. */
export function rowsNaming(names: readonly string[], candidates: readonly Candidate[]): string[] {
  let best: { rows: string[]; matched: number } = { rows: [], matched: 1 };
  for (const [index, header] of candidates.entries()) {
    if (header.sentence.kind !== 'row' || isRow(candidates[index - 1], header)) continue;
    const columns = cellsOf(header).map((title) => names.find((name) => sharesTerm(name, title)));
    const matched = columns.filter((name) => name !== undefined).length;
    if (matched <= best.matched) continue;
    const after = candidates.slice(index + 1);
    const end = after.findIndex((candidate) => !isRow(candidate, header));
    const rows = after.slice(0, end === -1 ? undefined : end).map((row) => fieldsOf(columns, cellsOf(row)));
    best = { rows, matched };
  }
  return best.rows;
}

function isRow(candidate: Candidate | undefined, header: Candidate): boolean {
  return candidate?.sentence.kind === 'row' && candidate.passage === header.passage;
}

function cellsOf({ sentence }: Candidate): string[] {
  const text = sentence.text.replace(/^\s*\||\|\s*$/g, '');
  return text.split(text.includes('|') ? '|' : '\t').map((cell) => cell.trim());
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
