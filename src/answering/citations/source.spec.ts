import type { RetrievedChunk } from '../../retrieval/retrieval.types.js';
import { sourceOf } from './source.js';

const CHUNK = {
  documentId: 'd',
  chunkNumber: 3,
  content: 'The lamp is lit at dusk.',
  score: 0.8,
  filename: 'lamp.pdf',
  isPadding: false,
  pageNumber: 2,
  overlap: null,
  imageKey: null,
} as RetrievedChunk;

describe('a source of an answer', () => {
  it('has the file name, the page and the start of the text', () => {
    expect(sourceOf(CHUNK)).toEqual({
      document_id: 'd',
      chunk_number: 3,
      score: 0.8,
      filename: 'lamp.pdf',
      page_number: 2,
      is_image: false,
      excerpt: 'The lamp is lit at dusk.',
    });
  });

  it('has no score as padding, and is marked as an image', () => {
    const page = { ...CHUNK, isPadding: true, imageKey: 'k', filename: null, content: '' };
    expect(sourceOf(page)).toMatchObject({ score: null, is_image: true, filename: null, excerpt: '' });
  });

  it('begins with the text on its page, without the overlap from the previous page', () => {
    const content = 'end of one page. Start of the next.';
    expect(sourceOf({ ...CHUNK, content, overlap: { length: 16, pageNumber: 1 } })).toMatchObject({
      page_number: 2,
      excerpt: 'Start of the next.',
    });
  });

  it.each([
    ['between words', 'seven  '.repeat(100), `${'seven  '.repeat(41)}seven…`],
    ['in a text without spaces', '火'.repeat(400), `${'火'.repeat(299)}…`],
    ['between characters of two code units', `.${'🚀'.repeat(200)}`, `.${'🚀'.repeat(149)}…`],
    ['not at all where it is short', ` ${'a'.repeat(300)}\n`, 'a'.repeat(300)],
  ])('is truncated %s', (_, content, excerpt) => {
    expect(sourceOf({ ...CHUNK, content }).excerpt).toBe(excerpt);
  });
});
