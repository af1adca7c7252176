import type { Citation, Evidence, Source } from './evidence.js';
import { documentsIn, WITHHELD, withoutHiddenQuotes } from './withheld.js';

const citation = (document_id: string, start: number, end: number, quote: string | null): Citation => ({
  start,
  end,
  text: '',
  document_id,
  chunk_number: 0,
  filename: `${document_id}.txt`,
  page_number: 2,
  quote,
});
const source = (document_id: string, excerpt: string): Source => ({
  document_id,
  chunk_number: 0,
  score: 0.5,
  filename: `${document_id}.txt`,
  page_number: 2,
  is_image: false,
  excerpt,
});

const read = (content: string, evidence: Evidence | null, ...ids: string[]) =>
  withoutHiddenQuotes({ content, evidence, stopped: false }, (id) => ids.includes(id));

describe('an answer whose documents its reader may not read', () => {
  it('remains as it is while they may be read, and without evidence', () => {
    const evidence = { citations: [citation('a', 3, 3, 'Secret.')], sources: [source('a', 'Secret.')] };
    expect(read('Yes', evidence, 'a')).toEqual({ content: 'Yes', evidence, stopped: false });
    expect(read('Yes', null)).toEqual({ content: 'Yes', evidence: null, stopped: false });
  });

  it('keeps what it says in its own words, and where it has this from', () => {
    const evidence = {
      citations: [citation('a', 4, 4, 'Secret.'), citation('b', 9, 9, 'Known.')],
      sources: [
        source('a', 'Secret.'),
        { ...source('a', 'Secret.'), attributes: { price: 7 } },
        source('b', 'Known.'),
      ],
      searched: 'which?',
      model: 'm',
    };
    expect(read('Yes, and no.', evidence, 'b')).toEqual({
      content: 'Yes, and no.',
      stopped: false,
      evidence: {
        ...evidence,
        citations: [{ ...evidence.citations[0], quote: null, withheld: true }, evidence.citations[1]],
        sources: [
          { ...source('a', ''), withheld: true },
          { ...source('a', ''), attributes: {}, withheld: true },
          evidence.sources[2],
        ],
      },
    });
  });

  it('loses every repetition of a quote, and its other citations move with the text', () => {
    const text = 'They say "Secret." [a] and "Known." [b] and "Secret." again.';
    const evidence = {
      citations: [
        citation('a', text.indexOf('[a]'), text.indexOf('[a]') + 3, ' Secret. '),
        citation('b', text.indexOf('[b]'), text.indexOf('[b]') + 3, 'Known.'),
      ],
      sources: [],
      model: 'm',
    };
    const { content, evidence: shown } = read(text, evidence, 'b');
    expect(content).toBe(`They say "${WITHHELD}" [a] and "Known." [b] and "${WITHHELD}" again.`);
    expect(shown?.citations.map(({ start, end }) => content.slice(start, end))).toEqual(['[a]', '[b]']);
  });

  it('keeps a quote that is also in a document that may be read', () => {
    const evidence = { citations: [citation('a', 5, 5, 'Both.'), citation('b', 5, 5, 'Both.')], sources: [] };
    expect(read('Both.', evidence, 'b')).toMatchObject({
      content: 'Both.',
      evidence: { citations: [{ quote: null }, { quote: 'Both.' }] },
    });
  });

  it('loses the quoted parts of an answer without a model, with or without citations', () => {
    const text = 'Missing: "x".\n\nSecret row: 7\n\nKnown.';
    const at = (part: string) => ({ start: text.indexOf(part), end: text.indexOf(part) + part.length });
    const quotations = [
      { ...at('Secret row: 7'), document_id: 'a' },
      { ...at('Known.'), document_id: 'b' },
    ];
    const { content, evidence } = read(
      text,
      { citations: [], sources: [], quotations, model: 'extractive' },
      'b',
    );
    expect(content).toBe(`Missing: "x".\n\n${WITHHELD}\n\nKnown.`);
    expect(evidence?.quotations?.map(({ start, end }) => content.slice(start, end))).toEqual(['Known.']);
  });

  it('loses its whole text if it is older and does not tell its quoted parts', () => {
    const evidence = { citations: [], sources: [source('a', ''), source('b', '')], model: 'extractive' };
    expect(read('Secret.\n\nKnown.', evidence, 'b').content).toBe(WITHHELD);
  });

  it('names every document once', () => {
    const evidence = {
      citations: [citation('a', 0, 0, null)],
      sources: [source('a', ''), source('b', '')],
      quotations: [{ start: 0, end: 1, document_id: 'c' }],
    };
    const answers = [evidence, null, evidence].map((one) => ({ content: '', evidence: one }));
    expect(documentsIn(answers)).toEqual(['a', 'b', 'c']);
  });
});
