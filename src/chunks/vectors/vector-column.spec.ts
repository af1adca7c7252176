import { openTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import sql from 'sql-template-tag';
import { run } from '../../database/run.js';
import { type ChunkContext, NO_CONTEXT } from '#reader';
import { readContext, storedContext, vectorBytes, vectorOf, vectorText } from './vector-column.js';

describe('vectorText', () => {
  it('keeps seven decimal places, without white space', () => {
    const text = vectorText(Float32Array.of(1, 0, -0.5, 0.12345678, -3e-7, 1e-9));
    expect(text).toBe('[10000000e-7,0e-7,-5000000e-7,1234568e-7,-3e-7,0e-7]');
    expect([...vectorOf(text)].map((x) => Number(x.toFixed(8)))).toEqual([1, 0, -0.5, 0.1234568, -3e-7, 0]);
  });
});

describe('vectorBytes', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

  it('are read by pgvector as the same numbers', async () => {
    const vector = Float32Array.of(1, 0, -0.5, 0.12345678, -3e-7);
    const [row] = await run<{ text: string }>(
      database.dataSource,
      sql`select ${vectorBytes(vector)}::vector(5)::text as text`,
    );
    expect(vectorOf(row?.text ?? '')).toEqual(vector);
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
