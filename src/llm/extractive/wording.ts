import { partAsked } from './asked-part.js';
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
export function wordingOf(question: string, chosen: readonly Candidate[], citations: boolean): string[] {
  const isList = chosen.filter(({ sentence }) => sentence.kind === 'item').length > 1;
  let steps = 0;
  let before: string | undefined;
  return chosen.map((candidate) => {
    const asStep = isList && candidate.sentence.kind === 'item';
    if (asStep) steps += 1;
    const text = partAsked(question, candidate);
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
