import { countingTerms, inverseDocumentFrequency, queryTerm, type QueryTerm } from './bm25.js';

const termIn = (chunkCount: number, index: number): QueryTerm => ({ term: `t${index}`, chunkCount, idf: 1 });

describe('the terms of a question that count', () => {
  it('are all of them up to 256', () => {
    const terms = Array.from({ length: 256 }, (_, index) => termIn(index, index));
    expect(countingTerms(terms)).toEqual(terms);
  });

  it('are the rarest of a longer one, in its order', () => {
    const terms = Array.from({ length: 1_000 }, (_, index) => termIn(((index * 7) % 1_000) + 1, index));
    expect(countingTerms(terms)).toEqual(terms.filter(({ chunkCount }) => chunkCount <= 256));
  });

  it('are words, and names that some chunk has', () => {
    const named = (term: string, chunkCount: number): QueryTerm => ({ term, chunkCount, idf: 1 });
    const [words, absent, known] = [named('mill', 0), named('old+mill', 0), named('mill+lane', 1)];
    expect(countingTerms([words, absent, known])).toEqual([words, known]);
  });

  it('are those first that some chunk holds, however many there are that none does', () => {
    const unknown = Array.from({ length: 600 }, (_, index) => termIn(0, index));
    const known = Array.from({ length: 10 }, (_, index) => termIn(900, 600 + index));
    const counting = countingTerms([...unknown, ...known]);
    expect(counting).toHaveLength(256);
    expect(counting).toEqual([...unknown.slice(0, 246), ...known]);
  });
});

describe('what a term of a question weighs', () => {
  it.each(['lamp', '2041', 'lamp+room'])('is its idf: %s', (term) => {
    expect(queryTerm(term, 3, 100)).toEqual({
      term,
      chunkCount: 3,
      idf: inverseDocumentFrequency(3, 100),
    });
  });

  it.each(['e07', 'lm-2041', 'v2.1', 'snake_2', '10.0.3.1', '2024-0815'])(
    'is four times its idf for an identifier: %s',
    (term) => {
      expect(queryTerm(term, 3, 100).idf).toBe(4 * inverseDocumentFrequency(3, 100));
    },
  );

  it('is its idf alone for an identifier that no chunk holds', () => {
    expect(queryTerm('e07', 0, 100).idf).toBe(inverseDocumentFrequency(0, 100));
  });
});
