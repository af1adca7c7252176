import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LOCAL_MODELS } from '../../../config/local-models.js';
import { LocalEmbedder, LocalTextModel } from './local-text-model.js';
import { modelFolder } from './model-folder.js';

interface Reference {
  readonly kind?: 'query' | 'passage';
  readonly text: string;
  readonly vector: readonly number[];
}

const referencesOf = (model: LocalTextModel['model']): readonly Reference[] =>
  readFileSync(join(modelFolder(model), 'reference.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Reference);

const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, x, i) => sum + x * b[i]!, 0);

const LONG = 'the committee approved the annual budget of the harbour authority '.repeat(60);

describe('LocalTextModel', () => {
  let model: LocalTextModel;
  beforeEach(() => {
    model = new LocalTextModel(LOCAL_MODELS.local);
  });
  afterEach(() => model.onApplicationShutdown());

  it('reproduces the vectors of the reference implementation', async () => {
    const references = referencesOf(model.model);
    const vectors = await model.embed(references.map(({ text }) => text));
    expect(vectors).toHaveLength(references.length);
    vectors.forEach((vector, i) => {
      const { vector: expected } = references[i]!;
      expect(dot(vector, expected) / Math.sqrt(dot(expected, expected))).toBeGreaterThanOrEqual(0.995);
      expect(dot(vector, vector)).toBeCloseTo(1, 5);
    });
  });

  it('returns the same vector for a text in any batch', async () => {
    const [alone] = await model.embed(['A short text.']);
    const together = await model.embed([LONG, 'A short text.', 'Another one, somewhat longer.']);
    expect(together[1]).toEqual(alone);
  });

  it('truncates texts to 256 word pieces', async () => {
    const [cut, longer, other] = await model.embed([
      LONG,
      `${LONG} and a recipe for soup`,
      'A recipe for soup',
    ]);
    expect(longer).toEqual(cut);
    expect(other).not.toEqual(cut);
  });

  it('returns a vector for an empty text', async () => {
    const [vector] = await model.embed(['']);
    expect(dot(vector!, vector!)).toBeCloseTo(1, 5);
  });

  it('returns an empty list for an empty list', async () => {
    await expect(model.embed([])).resolves.toEqual([]);
  });

  it('answers a query before an earlier batch', async () => {
    const answered: string[] = [];
    await model.start();
    const batch = model.embed(Array<string>(5).fill(LONG)).then(() => answered.push('batch'));
    const query = model.embed(['harbour'], { urgent: true }).then(() => answered.push('query'));
    await Promise.all([batch, query]);
    expect(answered).toEqual(['query', 'batch']);
  });

  it('drops the rest of an aborted batch', async () => {
    const caller = new AbortController();
    const batch = model.embed(Array<string>(100_000).fill(LONG), { signal: caller.signal });
    const reason = new Error('the caller left');
    caller.abort(reason);
    await expect(batch).rejects.toBe(reason);
    await expect(model.embed(['the next text'])).resolves.toHaveLength(1); // behind 100,000 texts, this text would time out
  });

  it('rejects an aborted signal', async () => {
    await expect(model.embed(['text'], { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
    });
  });

  it('rejects pending and new texts after shutdown', async () => {
    await model.start();
    const batch = expect(model.embed(Array<string>(1_000).fill(LONG))).rejects.toMatchObject({ status: 503 });
    await model.onApplicationShutdown();
    await batch;
    await expect(model.embed(['text'])).rejects.toMatchObject({ status: 503 });
  });
});

describe('ModelThread', () => {
  it('restarts after a crash', async () => {
    // Not Worker.terminate: while the native runtime is running, it would abort the whole process.
    const crashes = `import { parentPort } from 'node:worker_threads';
      parentPort.on('message', (text) => { if (text === 'crash') throw new Error('crashed'); });`;
    const model = new LocalTextModel(LOCAL_MODELS.local, 1, {
      execArgv: ['--import', `data:text/javascript,${encodeURIComponent(crashes)}`],
    });
    const dies = expect(model.embed(Array<string>(1_000).fill(LONG))).rejects.toMatchObject({ status: 503 });
    await expect(model.embed(['crash'])).rejects.toMatchObject({ status: 503 });
    await dies;
    await expect(model.embed(['text'])).resolves.toHaveLength(1);
    await model.onApplicationShutdown();
  }, 60_000);

  it('names the settings to change when the native runtime is missing', async () => {
    const model = new LocalTextModel(LOCAL_MODELS.local, 1, { execArgv: ['--no-addons'] });
    await expect(model.start()).rejects.toThrow(
      /^The local model all-MiniLM-L6-v2 cannot run here .*EMBEDDING_MODEL, EMBEDDING_API_BASE and EMBEDDING_API_KEY$/,
    );
    await model.onApplicationShutdown();
  });
});

describe('LocalEmbedder', () => {
  it('embeds queries and documents into one space', async () => {
    const model = new LocalTextModel(LOCAL_MODELS.local);
    const embedder = await LocalEmbedder.start(model);
    const query = await embedder.embedQuery('How long may goods stay in the port?');
    const [near, far] = await embedder.embedDocuments([
      'Cargo can be stored at the harbour for thirty days.',
      'The recipe needs two eggs and a cup of sugar.',
    ]);
    expect(query).toHaveLength(embedder.dimensions);
    expect(dot(query, near!)).toBeGreaterThan(dot(query, far!) + 0.2);
    await model.onApplicationShutdown();
  });
});

describe('the multilingual model', () => {
  let model: LocalTextModel;
  let embedder: LocalEmbedder;
  beforeAll(async () => {
    model = new LocalTextModel(LOCAL_MODELS['local-multilingual']);
    embedder = await LocalEmbedder.start(model);
  });
  afterAll(() => model.onApplicationShutdown());

  it('reproduces the vectors of the reference implementation for questions and passages', async () => {
    const references = referencesOf(model.model);
    expect(references).toHaveLength(12);
    for (const { kind, text, vector: expected } of references) {
      const vector = await (kind === 'query'
        ? embedder.embedQuery(text)
        : embedder.embedDocuments([text]).then(([first]) => first!));
      expect(dot(vector, expected) / Math.sqrt(dot(expected, expected))).toBeGreaterThanOrEqual(0.9999);
    }
  });

  it('returns cross-language similarities on the scale of the English model', async () => {
    const question = 'How long may goods stay in the port?';
    const texts = [
      'Товары могут оставаться в порту тридцать дней.',
      'В рецепт входят два яйца и стакан сахара.',
    ];
    const [[near, far] = []] = await model.similarities([question], texts, undefined);
    expect(near).toBeGreaterThan(0.4);
    expect(far).toBeLessThan(0.25);
  });

  it('reports name, dimensions and cosine floor', () => {
    expect(embedder).toMatchObject({
      model: 'local/multilingual-e5-small',
      dimensions: 384,
      cosineFloor: 0.5,
    });
  });

  it('truncates texts to 512 tokens', async () => {
    const long = 'гавань '.repeat(600);
    const [cut, longer] = await model.embed([long, `${long} и суп`]);
    expect(longer).toEqual(cut);
    const [short] = await model.embed(['гавань '.repeat(100)]);
    const [other] = await model.embed([`${'гавань '.repeat(100)} и суп`]);
    expect(other).not.toEqual(short);
  });
});
