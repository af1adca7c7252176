import { type ChunkContext, NO_CONTEXT } from '#reader';
import { readContext, storedContext, vectorOf, vectorText } from './vector-column.js';

describe('vectorText', () => {
  it('keeps seven decimal places, without white space', () => {
    const text = vectorText(Float32Array.of(1, 0, -0.5, 0.12345678, -3e-7, 1e-9));
    expect(text).toBe('[10000000e-7,0e-7,-5000000e-7,1234568e-7,-3e-7,0e-7]');
    expect([...vectorOf(text)].map((x) => Number(x.toFixed(8)))).toEqual([1, 0, -0.5, 0.1234568, -3e-7, 0]);
  });
});

const CONTEXT: ChunkContext = {
  title: '{"title": harbour} / Accounts',
  headings: [
    { level: 1, text: 'Accounts' },
    { level: 3, text: '# of the port' },
  ],
  table: { caption: ['In thousands'], header: ['', 'Ships', ''] },
};

describe('storedContext', () => {
  it('round-trips through readContext', () => {
    expect(readContext(storedContext(CONTEXT))).toEqual(CONTEXT);
    const piped = { ...NO_CONTEXT, table: { caption: ['A | B'], header: ['C'] } };
    expect(readContext(storedContext(piped))).toEqual(piped);
  });

  it('is empty without a context', () => {
    expect(storedContext({ ...NO_CONTEXT })).toBe('');
    expect(readContext('')).toEqual(NO_CONTEXT);
  });
});
