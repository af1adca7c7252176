import { join } from 'node:path';
import { packageRoot } from '../config/package-root.js';
import { LocalTextModel } from '../embedding/local/local-text-model.js';
import { LocalPageEmbedder } from './local-page-embedder.js';
import type { MultiVector } from './page-embedder.js';

const IMAGE = new Uint8Array();

const rowsOf = ({ dims, vectors }: MultiVector): number[][] =>
  Array.from({ length: vectors.length / dims }, (_, row) => [
    ...vectors.subarray(row * dims, (row + 1) * dims),
  ]);

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, x, index) => sum + x * (b[index] ?? 0), 0);

/** Mean over the vectors of the question of the best cosine. */
const maxSim = (question: MultiVector, page: MultiVector): number => {
  const rows = rowsOf(page);
  const best = rowsOf(question).map((vector) => Math.max(...rows.map((row) => dot(vector, row))));
  return best.reduce((sum, x) => sum + x, 0) / best.length;
};

describe('the local embedder of pages', () => {
  let model: LocalTextModel;
  let embedder: LocalPageEmbedder;
  beforeAll(() => {
    model = new LocalTextModel(join(packageRoot, 'models', 'all-MiniLM-L6-v2'));
    embedder = new LocalPageEmbedder(model);
  });
  afterAll(() => model.onApplicationShutdown());

  const pageOf = async (text: string, context = ''): Promise<MultiVector> => {
    const [page] = await embedder.embedPages([{ image: IMAGE, text, context }]);
    return page!;
  };

  it('gives vectors of length 1, one for eight tokens of a page and one for each of a question', async () => {
    const page = await pageOf(Array<string>(20).fill('harbour').join(' '));
    const question = await embedder.embedQuery('harbour authority');
    expect([rowsOf(page).length, rowsOf(question).length]).toEqual([3, 1 + 2]); // each with one for its beginning
    for (const row of [...rowsOf(page), ...rowsOf(question)]) expect(dot(row, row)).toBeCloseTo(1, 5);
  });

  it('reads a page to its end, window by window', async () => {
    const head = 'the committee approved the annual budget of the harbour authority '.repeat(60);
    const page = await pageOf(`${head}. A cake recipe needs two eggs and a cup of sugar.`);
    const question = await embedder.embedQuery('a cake recipe with eggs and sugar');
    expect(maxSim(question, page)).toBeGreaterThan(maxSim(question, await pageOf(head)) + 0.2);
  });

  it('puts the page that answers a question before others', async () => {
    const question = await embedder.embedQuery('How long may goods stay in the port?');
    const [near, far] = await embedder.embedPages([
      { image: IMAGE, text: 'Cargo can be stored at the harbour for thirty days.', context: '' },
      { image: IMAGE, text: 'The recipe needs two eggs and a cup of sugar.', context: '' },
    ]);
    expect(maxSim(question, near!)).toBeGreaterThan(maxSim(question, far!) + 0.2);
  });

  it('finds a page by the title of its document', async () => {
    const question = await embedder.embedQuery('Costco net sales');
    const text = 'Net sales rose by eight percent to 192 billion dollars.';
    expect(maxSim(question, await pageOf(text, 'Costco annual report'))).toBeGreaterThan(
      maxSim(question, await pageOf(text, 'Netflix annual report')),
    );
  });

  it('does not let the title stand for an empty page', async () => {
    expect(await pageOf('  ', 'Costco annual report')).toEqual(await pageOf(''));
    expect(rowsOf(await pageOf(''))).toHaveLength(1);
  });

  it('finds the page whose text is in an image', async () => {
    const text = 'Cargo can be stored at the harbour for thirty days, and fish for two.';
    const question = await embedder.embedImage({ image: IMAGE, text });
    expect(maxSim(question!, await pageOf(text))).toBeCloseTo(1, 4);
  });

  it('has nothing to look at in an image without text', async () => {
    await expect(embedder.embedImage({ image: IMAGE, text: ' \n' })).resolves.toBeNull();
  });
});
