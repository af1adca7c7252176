import { contentTerms } from '../../lexical/analyse.js';
import { type ChunkContext, embeddedText, tableLines } from '../../lexical/chunk-context.js';
import type { Passage } from '../completion.js';
import { cellsOf, isPiped, sentencesOf, type Sentence } from '../passages/sentences.js';

/** A sentence that may become part of an answer, with the terms around it. */
export interface Candidate {
  readonly passage: Passage;
  readonly sentence: Sentence;
  readonly terms: ReadonlySet<string>;
  /** In the order they stand, repetitions included. */
  readonly sequence: readonly string[];
  /** Terms of what introduces it: the heading above it, or a question before it (as in an FAQ). */
  readonly introduction: ReadonlySet<string>;
  /** Of a table row: the names of its columns from the first on; none where they are not known. */
  readonly columns: readonly string[];
  /** Terms of those names and of what stands above them. */
  readonly tableHead: ReadonlySet<string>;
  /** Terms of the sentence before it in the same block. */
  readonly previous: ReadonlySet<string>;
  /** Terms anywhere in its passage, or above it. */
  readonly passageTerms: ReadonlySet<string>;
  /** Position among the sentences of its passage. */
  readonly position: number;
  readonly isQuestion: boolean;
  /** It ends in a colon. */
  readonly introduces: boolean;
}

const QUESTION = /[?？]["'”’)\]」』]*$/;
const BLANK_LINE = /\n[\t ]*\r?\n/;
const NOTHING: ReadonlySet<string> = new Set();

/** Sentences of all passages; a sentence that an earlier passage has too (chunks overlap) is left out. */
export function candidatesOf(passages: readonly Passage[]): Candidate[] {
  const known = new Set<string>();
  return passages.flatMap(candidatesOfPassage).filter(({ sentence }) => {
    const key = sentence.text.replace(/\s+/g, ' ').toLowerCase();
    return !known.has(key) && known.add(key);
  });
}

function candidatesOfPassage(passage: Passage): Candidate[] {
  const candidates: Candidate[] = [];
  const passageTerms = new Set(contentTerms(embeddedText(passage.context, passage.text)));
  let introduction: ReadonlySet<string> = new Set(contentTerms(passage.context.headings.at(-1)?.text ?? ''));
  let { names, aboveRows } = headAbove(passage.context);
  let previous: Candidate | undefined;
  const sentences = sentencesOf(passage.text);
  sentences.forEach((sentence, position) => {
    const before = sentences[position - 1];
    if (sentence.kind !== 'row') names = [];
    else if (before?.kind !== 'row' || BLANK_LINE.test(passage.text.slice(before.end, sentence.start))) {
      const own = namesOf(sentence, passage.text);
      if (own.length > 0 && sentences[position + 1]?.kind === 'row') {
        names = own;
        // A line above the table is its caption.
        const caption = previous?.sentence.kind === 'row' ? NOTHING : (previous?.terms ?? NOTHING);
        aboveRows = new Set([...caption, ...contentTerms(sentence.text)]);
        return;
      }
      // Rows of a page may stand apart from each other.
      if (columnsOf(sentence, names).length === 0 && !isPartOfRow(sentence)) names = [];
    }
    const columns = columnsOf(sentence, names);
    if (columns.length > 0) names = columns;
    const sequence = contentTerms(sentence.text);
    const terms = new Set(sequence);
    if (sentence.kind === 'heading') {
      introduction = terms;
      previous = undefined;
      return;
    }
    previous = {
      passage,
      sentence,
      terms,
      sequence,
      introduction,
      columns,
      tableHead: columns.length > 0 ? aboveRows : NOTHING,
      previous: previous?.sentence.block === sentence.block ? previous.terms : NOTHING,
      passageTerms,
      position,
      isQuestion: QUESTION.test(sentence.text),
      introduces: /[:：]$/.test(sentence.text),
    };
    candidates.push(previous);
    if (previous.isQuestion || previous.introduces) introduction = terms;
  });
  return candidates;
}

/** Of a table that goes on from an earlier chunk. */
function headAbove({ table }: ChunkContext): { names: readonly string[]; aboveRows: ReadonlySet<string> } {
  return {
    names: table?.header ?? [],
    aboveRows: new Set(table === null ? [] : contentTerms(tableLines(table).slice(-2).join('\n'))),
  };
}

/**
 * The names of the columns of a row. A header that is cut names the last ones; on a page the names of rows have no name
 * themselves.
 */
function columnsOf(row: Sentence, names: readonly string[]): readonly string[] {
  const { kind, text } = row;
  if (kind !== 'row' || names.length === 0 || isPartOfRow(row)) return [];
  const { length } = cellsOf(text);
  const missing = length - names.length;
  if (names[0]?.startsWith('…') === true && missing >= -1)
    return [...Array.from({ length: missing + 1 }, () => ''), ...names.slice(1)];
  if (missing === 0 || (missing < 0 && isPiped(text))) return names; // the last cells may be left out
  return missing === 1 && !isPiped(text) ? ['', ...names] : [];
}

/** A row that a chunk cannot hold is cut, and its cells do not count from either end. */
function isPartOfRow({ text }: Sentence): boolean {
  return isPiped(text) && text.startsWith('|') !== text.endsWith('|');
}

const YEAR = /^(?:19|20)\d\d$/;

/** The names of columns, where a table begins: a row above a line of dashes, or one without figures, or of years, between gaps. */
function namesOf({ text, end }: Sentence, passage: string): readonly string[] {
  const cells = cellsOf(text);
  const isHeader = isPiped(text)
    ? /^\s*(?=[^\n]*\|)[\s|:-]*--/.test(passage.slice(end))
    : cells.slice(1).every((cell) => !/^\P{L}*\d/u.test(cell)) ||
      (cells.slice(1).every((cell) => YEAR.test(cell)) && cells.filter((cell) => YEAR.test(cell)).length > 1);
  return isHeader ? cells : [];
}

/** The run of list items that a candidate introduces or is part of; empty when there is none. */
export function itemsOf(candidate: Candidate, candidates: readonly Candidate[]): Candidate[] {
  const at = candidates.indexOf(candidate);
  const isItem = (index: number): boolean =>
    candidates[index]?.passage === candidate.passage && candidates[index].sentence.kind === 'item';
  if (!isItem(at) && !candidate.introduces) return [];
  let start = isItem(at) ? at : at + 1;
  while (isItem(start - 1)) start -= 1;
  let end = start;
  while (isItem(end)) end += 1;
  return candidates.slice(start, end);
}
