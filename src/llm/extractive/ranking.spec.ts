import { NO_CONTEXT } from '../../lexical/chunk-context.js';
import type { Passage } from '../completion.js';
import { candidatesOf, type Candidate } from './candidates.js';
import { rank } from './ranking.js';

/** A set that counts what is asked of it: every look-up, and every member that is gone through. */
class CountingSet extends Set<string> {
  static count = 0;

  override has(value: string): boolean {
    CountingSet.count += 1;
    return super.has(value);
  }

  override *[Symbol.iterator](): SetIterator<string> {
    for (const value of super.values()) {
      CountingSet.count += 1;
      yield value;
    }
  }
}

const word = (index: number): string => `w${index}x`;

/** As many sentences of eight words, from a vocabulary of their own. */
function candidates(sentences: number): Candidate[] {
  const text = Array.from({ length: sentences }, (_, at) =>
    Array.from({ length: 8 }, (_, index) => word(8 * at + index)).join(' '),
  );
  const passages = text.map((sentence, at): Passage => ({
    number: at,
    text: `${sentence}.`,
    context: NO_CONTEXT,
    score: 0.5,
  }));
  return candidatesOf(passages).map((candidate) => ({
    ...candidate,
    terms: new CountingSet(candidate.terms),
    introduction: new CountingSet(candidate.introduction),
    previous: new CountingSet(candidate.previous),
    passageTerms: new CountingSet(candidate.passageTerms),
  }));
}

function stepsOf(size: number): number {
  const given = candidates(size);
  const question = Array.from({ length: 4 * size }, (_, index) => word(2 * index)).join(' ');
  CountingSet.count = 0;
  rank(question, given);
  return CountingSet.count;
}

describe('ranking', () => {
  it('takes twice the steps for twice the question over twice the sentences, and no more', () => {
    expect(stepsOf(400)).toBeLessThan(2.2 * stepsOf(200));
  });

  it.each([
    ['letters without an end', 'a'.repeat(1_000_000)],
    ['white space', `a${' '.repeat(1_000_000)}b`],
    ['hyphens', '-'.repeat(1_000_000)],
    ['letters and hyphens', 'a-'.repeat(500_000)],
    ['a question without an end', 'how much does '.repeat(70_000)],
  ])('reads %s once', (_name, question) => {
    expect(rank(question, candidates(2))).toHaveLength(2);
  });

  it('finds a name behind a capital and a code with digits that the passages have not', () => {
    const [best] = rank('Does the Vela pump need E-1042?', candidates(1));
    expect(best?.support).toBe(0);
    const passage: Passage = {
      number: 1,
      text: 'The pump needs E-1042 daily.',
      context: NO_CONTEXT,
      score: 0.5,
    };
    const [known] = rank('Does the pump need E-1042?', candidatesOf([passage]));
    const [other] = rank('Does the pump need E-1043?', candidatesOf([passage]));
    expect(known?.support).toBeGreaterThan(other?.support ?? 1);
  });
});
