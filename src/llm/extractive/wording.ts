import { LIST_MARK } from '../passages/sentences.js';
import type { Candidate } from './candidates.js';

/** What is said when no sentence supports an answer. Honest, and the same every time. */
export const NO_SUPPORT = 'The retrieved passages do not contain an answer to this question.';
export const NO_PASSAGES =
  'No matching passages were found in the documents, so there is nothing to answer from.';

const SENTENCE_END = /[.!?…。！？:：;；]["'”’)\]」』]*$/;
const IDEOGRAPHIC_END = /[。！？」』：；]$/;

/**
 * The chosen sentences as one text, in pieces that can be sent one by one: list marks and emphasis removed, steps on
 * lines of their own, table rows as their cells, each piece with the marker of its passage when `citations` is set.
 */
export function wordingOf(chosen: readonly Candidate[], citations: boolean): string[] {
  const isList = chosen.filter(({ sentence }) => sentence.kind === 'item').length > 1;
  let steps = 0;
  let before: string | undefined;
  return chosen.map((candidate) => {
    const asStep = isList && candidate.sentence.kind === 'item';
    if (asStep) steps += 1;
    const text = plainSentence(candidate.sentence);
    const gap = before === undefined ? '' : separator(before, asStep, citations);
    before = text;
    const marker = citations ? ` [[${candidate.passage.number}]]` : '';
    return gap + (asStep ? `${mark(candidate, steps)} ` : '') + text + marker;
  });
}

function separator(before: string, asStep: boolean, citations: boolean): string {
  if (asStep || !SENTENCE_END.test(before)) return '\n';
  return IDEOGRAPHIC_END.test(before) && !citations ? '' : ' ';
}

/** Numbered steps stay numbered from 1; bullets become dashes. */
function mark({ sentence }: Candidate, step: number): string {
  return /^\s*\(?[\da-z]/i.test(sentence.text) ? `${step}.` : '-';
}

/** A sentence without list mark and emphasis; a table row as its cells. */
export function plainSentence(sentence: Candidate['sentence']): string {
  const flat = sentence.text
    .replace(LIST_MARK, '')
    .replace(/(\*\*|__)(?=\S)(.*?\S)\1/g, '$2')
    .replace(/\s+/g, ' ');
  if (sentence.kind !== 'row') return flat;
  const cells = flat
    .split('|')
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '');
  return cells.length === 2 ? cells.join(': ') : cells.join(' | ');
}
