import type { Candidate } from '../candidates.js';
import { plainSentence } from '../wording.js';
import { contentTerms } from '../../../lexical/analyse.js';
import { sentencesFor, wordsOf, type Asked } from './property.js';
import { enumerationIn } from './typed-values.js';

/** Texts of the list that the passages give for what is asked: members of a sentence, or items under it. */
export function findMembers(asked: Asked, candidates: readonly Candidate[]): string[] {
  for (const { candidate } of sentencesFor(asked, candidates)) {
    const items = itemsAfter(candidate, candidates);
    if (items.length > 0) return items.map(({ sentence }) => plainSentence(sentence));
    const members = enumerationIn(candidate.sentence.text);
    if (members !== null) return members;
  }
  return [];
}

/** The list items that a sentence introduces, or the run of items it is part of. */
export function itemsAfter(sentence: Candidate, candidates: readonly Candidate[]): Candidate[] {
  const at = candidates.indexOf(sentence);
  const isItem = (index: number): boolean =>
    candidates[index]?.passage === sentence.passage && candidates[index].sentence.kind === 'item';
  let start = isItem(at) ? at : at + 1;
  while (isItem(start - 1)) start -= 1;
  let end = start;
  while (isItem(end)) end += 1;
  const introduced = isItem(at) || /[:：]$/.test(sentence.sentence.text);
  return introduced ? candidates.slice(start, end) : [];
}

/** A row of a table as a field list, `Header: cell` a line, so that its cells are found by their headers. */
export interface TableRow {
  readonly cells: ReadonlyMap<string, string>;
}

/** Rows of the table whose headers name most of `names`; empty when no table names two of them. */
export function findRows(names: readonly string[], candidates: readonly Candidate[]): TableRow[] {
  let best: { rows: TableRow[]; matched: number } = { rows: [], matched: 1 };
  for (const [index, header] of candidates.entries()) {
    if (header.sentence.kind !== 'row' || isRow(candidates[index - 1], header)) continue;
    const columns = cellsOf(header).map((title) => names.find((name) => sameTerms(name, title)) ?? null);
    const matched = columns.filter((name) => name !== null).length;
    if (matched <= best.matched) continue;
    const rows: TableRow[] = [];
    for (let at = index + 1; isRow(candidates[at], header); at += 1)
      rows.push(rowOf(columns, candidates[at]));
    best = { rows, matched };
  }
  return best.rows;
}

function isRow(candidate: Candidate | undefined, header: Candidate): boolean {
  return candidate?.sentence.kind === 'row' && candidate.passage === header.passage;
}

function cellsOf(row: Candidate | undefined): string[] {
  const text = (row?.sentence.text ?? '').replace(/^\s*\||\|\s*$/g, '');
  return text.split(text.includes('|') ? '|' : '\t').map((cell) => cell.trim());
}

function rowOf(columns: readonly (string | null)[], row: Candidate | undefined): TableRow {
  const cells = cellsOf(row);
  return {
    cells: new Map(columns.flatMap((name, at) => (name === null ? [] : [[name, cells[at] ?? ''] as const]))),
  };
}

function sameTerms(name: string, title: string): boolean {
  const wanted = new Set(contentTerms(wordsOf(name)));
  const given = new Set(contentTerms(title));
  return (
    given.size > 0 &&
    [...given].some((term) => wanted.has(term)) &&
    [...wanted].some((term) => given.has(term))
  );
}
