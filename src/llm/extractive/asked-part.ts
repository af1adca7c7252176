import { contentTerms } from '../../lexical/analyse.js';
import { cellsOf, type Sentence } from '../passages/sentences.js';
import { answerKindOf, carries, isFigure, isOfFigures } from './answer-kind.js';
import type { Candidate } from './candidates.js';
import { plainSentence } from './plain-sentence.js';
import { OTHER_FORMS } from './ranking.js';

/** What a question asks for of a sentence or table row, in words. */
export function partAsked(question: string, candidate: Candidate): string {
  return candidate.columns.length > 0
    ? cellAsked(question, candidate)
    : clausesAsked(question, candidate.sentence);
}

/** Where a sentence could end as well. */
const TAIL =
  /;\s|[,:]? [–—] |, and\b| and (?:then|will|may|can|must|is|are|was|were|has|have|had)\b|,? (?:but|so that|because|unless|although|though|while)\b|, (?:so|since|not|where|which|who|whose|in spite of)\b/giu;

/** The shortest beginning of a sentence, as far as one of its clauses, that has all that it has of what is asked. */
function clausesAsked(question: string, sentence: Sentence): string {
  const whole = plainSentence(sentence);
  const kind = answerKindOf(question);
  // Where a reason, a step or a place begins, no form tells.
  const isOpen = kind === 'reason' || kind === 'procedure' || /\bwhere\b/i.test(question);
  if (sentence.kind !== 'prose' || isOpen) return whole;
  const asked = askedBy(question);
  const worth = (text: string): number => {
    const found = new Set(contentTerms(text).filter((term) => asked.has(term)));
    return found.size + (kind !== null && carries({ text, kind: 'prose' }, kind) ? 1 : 0);
  };
  const ends = Array.from(whole.matchAll(TAIL), ({ index }) => index);
  const end = ends.find((index) => worth(whole.slice(0, index)) === worth(whole));
  return end === undefined ? whole : `${whole.slice(0, end)}.`;
}

/** Least share of its words for a column to be named. */
const NAMED = 0.5;

/**
 * The name of a row and its cells in the columns that the question names, `Nails, Dollars: 3.9`; all its cells when it
 * names none. A row is called by its first cell, and by the first that the question names where that is another.
 */
function cellAsked(question: string, { sentence, columns }: Candidate): string {
  const cells = cellsOf(sentence.text);
  const asked = askedBy(question);
  const name = Math.max(
    0,
    cells.findIndex((cell) => wordsIn(cell).some((word) => asked.has(word))),
  );
  const named = columns
    .map((column, at) => ({ at, ...nameIn(asked, column) }))
    .filter(({ at, share }) => at !== name && share >= NAMED && cells[at] && fits(question, cells[at]))
    .sort((a, b) => b.share - a.share || b.words.length - a.words.length);
  // Where names are cut off, the one that is meant may be one of them.
  const isUnsure = columns.includes('', 1) && isTie(named);
  const chosen = isUnsure ? [] : differently(named, wordsIn(cells[name] ?? ''));
  const names = [...new Set([0, name])].filter((at) => cells[at] && !chosen.includes(at));
  if (chosen.length === 0 || names.length === 0) return plainSentence(sentence);
  return [...names.map((at) => cells[at]), ...chosen.map((at) => `${columns[at]}: ${cells[at]}`)].join(', ');
}

interface NamedColumn {
  readonly at: number;
  /** Those of its words that the question has. */
  readonly words: readonly string[];
  /** Of all its words, or of those without its unit. */
  readonly share: number;
}

const UNIT = /\([^)]*\)/g;

function nameIn(asked: ReadonlySet<string>, column: string): Pick<NamedColumn, 'words' | 'share'> {
  const words = wordsIn(column).filter((word) => asked.has(word));
  const share = (text: string): number => {
    const all = wordsIn(text);
    return all.filter((word) => asked.has(word)).length / Math.max(all.length, 1);
  };
  return { words, share: Math.max(share(column), share(column.replace(UNIT, ''))) };
}

/** Whether no column is named better than another, and none by its whole name. */
function isTie([first, ...others]: readonly NamedColumn[]): boolean {
  return (
    first !== undefined && first.share < 1 && others.some(({ words }) => words.length === first.words.length)
  );
}

/** The column that is named best, those that are named like it, and those that other words of the question name. */
function differently([best, ...others]: readonly NamedColumn[], nameOfRow: readonly string[]): number[] {
  if (best === undefined) return [];
  const known = new Set([...nameOfRow, ...best.words]);
  const chosen = others.filter(({ words, share }) => {
    const isLikeBest = share === best.share && words.join(' ') === best.words.join(' ');
    const isOther = contentTerms(words.join(' ')).some((word) => !known.has(word));
    for (const word of words) known.add(word);
    return isLikeBest || isOther;
  });
  return [best, ...chosen].map(({ at }) => at).sort((a, b) => a - b);
}

/** "How long is the river?" names the column of its name, and asks for a figure. */
function fits(question: string, cell: string): boolean {
  return !isOfFigures(answerKindOf(question)) || isFigure(cell);
}

/** The words of a question with those that an answer may have in their place. */
function askedBy(question: string): ReadonlySet<string> {
  return new Set(wordsIn(question).flatMap((word) => [word, ...(OTHER_FORMS.get(word) ?? [])]));
}

/** Also the words that carry little: "What you should do" is a column. */
function wordsIn(text: string): string[] {
  return [...new Set([...contentTerms(text), ...(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])])];
}
