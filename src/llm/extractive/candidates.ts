import type { Passage } from '../completion.js';
import { sentencesOf, type Sentence } from '../passages/sentences.js';
import { contentTerms } from '../../lexical/analyse.js';

/** A sentence that may become part of an answer, with the terms around it. */
export interface Candidate {
  readonly passage: Passage;
  readonly sentence: Sentence;
  readonly terms: ReadonlySet<string>;
  /** In the order they stand, repetitions included. */
  readonly sequence: readonly string[];
  /** Terms of what introduces it: the heading above it, or a question before it (as in an FAQ). */
  readonly introduction: ReadonlySet<string>;
  /** Terms of the sentence before it in the same block. */
  readonly previous: ReadonlySet<string>;
  /** Terms anywhere in its passage. */
  readonly passageTerms: ReadonlySet<string>;
  /** Position among the sentences of its passage. */
  readonly position: number;
  readonly isQuestion: boolean;
}

const QUESTION = /[?？]["'”’)\]」』]*$/;
const NOTHING: ReadonlySet<string> = new Set();

/** Sentences of all passages; a sentence that an earlier passage has too (chunks overlap) is left out. */
export function candidatesOf(passages: readonly Passage[]): Candidate[] {
  const seen = new Set<string>();
  return passages.flatMap((passage) =>
    candidatesOfPassage(passage).filter(({ sentence }) => {
      const key = sentence.text.replace(/\s+/g, ' ').toLowerCase();
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    }),
  );
}

function candidatesOfPassage(passage: Passage): Candidate[] {
  const candidates: Candidate[] = [];
  const passageTerms = new Set(contentTerms(passage.text));
  let introduction = NOTHING;
  let previous: Candidate | undefined;
  sentencesOf(passage.text).forEach((sentence, position) => {
    const sequence = contentTerms(sentence.text);
    const terms = new Set(sequence);
    if (sentence.kind === 'heading') {
      introduction = terms;
      previous = undefined;
      return;
    }
    const isQuestion = QUESTION.test(sentence.text);
    const candidate: Candidate = {
      passage,
      sentence,
      terms,
      sequence,
      introduction,
      previous: previous?.sentence.block === sentence.block ? previous.terms : NOTHING,
      passageTerms,
      position,
      isQuestion,
    };
    candidates.push(candidate);
    if (isQuestion || sentence.text.endsWith(':') || sentence.text.endsWith('：')) introduction = terms;
    previous = candidate;
  });
  return candidates;
}
