import { strToU8, zipSync } from 'fflate';
import {
  startFakeServer,
  type FakeServer,
  type JsonAnswer,
  type JsonRequest,
} from '../../../test/support/fake-server.js';
import { DeadlineExceeded, ProviderFailed, TooManyRequests } from '../../errors/index.js';
import { runInContext } from '../../request/request-context.js';
import { HttpPageEmbedder } from './http-page-embedder.js';

const KEY = 'page-key-0123456789';
const MODEL = 'vidore/colpali-v1.3-hf';

type Rows = readonly (readonly number[])[];
type Format = 'vllm' | 'jina' | 'morphik';

/** Builds a NumPy array in single precision. */
function npy(rows: Rows): Uint8Array {
  const header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${rows.length}, ${rows[0]?.length ?? 0}), }\n`;
  const head = Buffer.alloc(10);
  head.write('\u0093NUMPY\u0001', 'latin1');
  head.writeUInt16LE(header.length, 8);
  const data = Float32Array.from(rows.flat());
  return Buffer.concat([head, Buffer.from(header), Buffer.from(data.buffer)]);
}

/** Response of each kind of server to rows of vectors, one list of rows per input. */
const ANSWERS: Readonly<Record<Format, (items: readonly Rows[]) => JsonAnswer>> = {
  vllm: (items) => ({ json: { data: items.map((data, index) => ({ index, object: 'pooling', data })) } }),
  jina: (items) => ({
    json: { data: items.map((embeddings, index) => ({ object: 'embeddings', index, embeddings })).reverse() },
  }),
  morphik: (items) => ({
    headers: { 'content-type': 'application/octet-stream' },
    text: zipSync({
      'count.npy': strToU8('ignored'),
      ...Object.fromEntries(items.map((rows, index) => [`emb_${index}.npy`, npy(rows)])),
    }),
  }),
};
const FORMATS = Object.keys(ANSWERS) as Format[];

/** Returns the inputs of a request as text; images are base64 texts in this spec. */
function inputsOf({ body }: JsonRequest): string[] {
  const { input, inputs, messages } = body as {
    input?: (string | { text?: string; image?: string })[];
    inputs?: string[];
    messages?: { content: { image_url?: { url: string } }[] }[];
  };
  if (messages !== undefined) {
    return messages.map(({ content }) => decoded(content[0]?.image_url?.url.split(',')[1]));
  }
  return (input ?? inputs ?? []).map((one) =>
    typeof one === 'string' ? one : (one.text ?? decoded(one.image)),
  );
}

const decoded = (image = ''): string => Buffer.from(image, 'base64').toString();

/** Decodes page names, which Morphik's format sends like texts. */
const named = (text: string): string => (/^page-\d+$/.test(decoded(text)) ? decoded(text) : text);

/** Builds two vectors of three numbers that encode the number in an input. The vectors do not have length 1. */
const rowsOf = (text: string): Rows => {
  const number = Number(/\d+/.exec(named(text))?.[0] ?? 0);
  return [
    [3, 0, 4],
    [0, 2 + number, 0],
  ];
};

const page = (number: number): Uint8Array => Buffer.from(`page-${number}`);

describe.each(FORMATS)('HttpPageEmbedder with the format %s', (format) => {
  let answer: (request: JsonRequest) => JsonAnswer | undefined;
  let server: FakeServer;

  const usual = (request: JsonRequest): JsonAnswer => ANSWERS[format](inputsOf(request).map(rowsOf));
  const connect = (patience = { attempts: 3, withinMs: 1_000, timeoutMs: 5_000 }, path = '') =>
    new HttpPageEmbedder(
      {
        MULTIVECTOR_API_BASE: `${server.url}${path}`,
        MULTIVECTOR_API_KEY: KEY,
        MULTIVECTOR_MODEL: MODEL,
        MULTIVECTOR_FORMAT: format,
      },
      { query: patience, pages: patience },
    );

  beforeEach(async () => {
    answer = usual;
    server = await startFakeServer((request) => answer(request));
  });
  afterEach(() => server.close());

  it('returns one multi-vector of unit vectors per page, in order', async () => {
    answer = (request) =>
      ANSWERS[format](inputsOf(request).map((text) => [[Number(named(text).split('-')[1]), 1, 0]]));
    const pages = await connect().embedPages(Array.from({ length: 9 }, (_, number) => page(number)));
    expect(pages).toHaveLength(9);
    pages.forEach(({ dims, vectors }, number) => {
      const length = Math.hypot(number, 1);
      expect(dims).toBe(3);
      expect([...vectors]).toEqual(
        [number / length, 1 / length, 0].map((x) => expect.closeTo(x, 6) as number),
      );
    });
  });

  it('embeds a text query', async () => {
    await expect(connect().embedQuery('how much?')).resolves.toEqual({
      dims: 3,
      vectors: Float32Array.of(0.6, 0, 0.8, 0, 1, 0),
    });
  });

  it('embeds an image query', async () => {
    const { vectors } = await connect().embedImage(page(7));
    expect([...vectors]).toHaveLength(6);
    expect(server.requests.flatMap(inputsOf).map(named)).toEqual(['page-7']);
  });

  it('makes no call without pages', async () => {
    await expect(connect().embedPages([])).resolves.toEqual([]);
    expect(server.requests).toEqual([]);
  });

  it('sends its key, or no header without a key', async () => {
    await connect().embedQuery('q');
    await new HttpPageEmbedder({
      MULTIVECTOR_API_BASE: server.url,
      MULTIVECTOR_API_KEY: undefined,
      MULTIVECTOR_MODEL: MODEL,
      MULTIVECTOR_FORMAT: format,
    }).embedQuery('q');
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`, undefined]);
  });

  it('retries after a transient failure', async () => {
    const answers = [429, 503];
    answer = (request) => {
      const status = answers.shift();
      return status === undefined ? usual(request) : { status, headers: { 'retry-after': '0' } };
    };
    await expect(connect().embedPages([page(1)])).resolves.toHaveLength(1);
    expect(server.requests).toHaveLength(3);
  });

  const rows = (...items: Rows[]): JsonAnswer => ANSWERS[format](items);
  it.each([
    [
      'the wrong key',
      () => ({ status: 401, json: { message: KEY } }),
      ProviderFailed,
      /refused the key \(401\)$/,
    ],
    ['an unknown model', () => ({ status: 404 }), ProviderFailed, /does not know the model vidore\/colpali/],
    [
      'a rate limit',
      () => ({ status: 429, headers: { 'retry-after': '60' } }),
      TooManyRequests,
      /limits the rate/,
    ],
    ['another kind of body', () => ({ text: '<html>' }), ProviderFailed, /^The page embedding server/],
    ['no items', () => rows(), ProviderFailed, /returned (a different number of items|no vectors)/],
    ['an item without vectors', () => rows([]), ProviderFailed, /returned no vectors for one of its inputs$/],
    [
      'vectors without numbers',
      () => rows([[]]),
      ProviderFailed,
      /returned no vectors for one of its inputs$/,
    ],
    ['NaN', () => rows([[1, NaN, 0]]), ProviderFailed, /a vector without a direction$/],
    [
      'a vector of zeros',
      () =>
        rows([
          [1, 0],
          [0, 0],
        ]),
      ProviderFailed,
      /a vector without a direction$/,
    ],
  ])('explains %s without revealing the key', async (_, given, kind, sentence) => {
    answer = given;
    const failure = await connect()
      .embedPages([page(1)])
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(kind);
    expect((failure as Error).message).toMatch(sentence);
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain(KEY);
  });

  it('rejects vectors of another length than before', async () => {
    const embedder = connect();
    await embedder.embedQuery('first');
    answer = () => rows([[1, 0]]);
    await expect(embedder.embedPages([page(1)])).rejects.toThrow(
      'returned vectors of 2 dimensions instead of 3',
    );
  });

  it('stops at its deadline', async () => {
    answer = () => undefined;
    const hasty = connect({ attempts: 3, withinMs: 1_000, timeoutMs: 20 });
    await expect(hasty.embedQuery('q')).rejects.toBeInstanceOf(DeadlineExceeded);
  });

  it('stops when the caller aborts, with the reason of the caller', async () => {
    const caller = new AbortController();
    const reason = new Error('the caller left');
    answer = () => {
      caller.abort(reason);
      return undefined;
    };
    const pages = [page(1), page(2)];
    await expect(runInContext(caller.signal, () => connect().embedPages(pages))).rejects.toBe(reason);
  });
});

describe('the wire format', () => {
  let server: FakeServer;
  beforeEach(async () => {
    server = await startFakeServer((request) =>
      (request.body as { inputs?: unknown }).inputs === undefined
        ? { json: { data: [{ index: 0, data: [[1]], embeddings: [[1]] }] } }
        : ANSWERS.morphik([[[1]]]),
    );
  });
  afterEach(() => server.close());

  const sent = async (format: Format, path: string): Promise<(readonly [string, unknown])[]> => {
    const embedder = new HttpPageEmbedder({
      MULTIVECTOR_API_BASE: `${server.url}${path}`,
      MULTIVECTOR_API_KEY: KEY,
      MULTIVECTOR_MODEL: MODEL,
      MULTIVECTOR_FORMAT: format,
    });
    await embedder.embedQuery('words');
    await embedder.embedPages([page(1)]);
    await embedder.embedImage(page(2));
    return server.requests.map((request) => [request.path, request.body] as const);
  };
  const base64 = (number: number): string => Buffer.from(`page-${number}`).toString('base64');

  it.each(['', '/', '/v1', '/pooling'])(
    'of vLLM is its pooling API at an address with "%s"',
    async (path) => {
      const image = (number: number) => ({
        model: MODEL,
        encoding_format: 'float',
        messages: [
          {
            role: 'user',
            content: [
              { type: 'image_url', image_url: { url: `data:image/png;base64,${base64(number)}` } },
              { type: 'text', text: 'Describe the image.' },
            ],
          },
        ],
      });
      expect(await sent('vllm', path)).toEqual([
        ['/pooling', { model: MODEL, encoding_format: 'float', input: ['words'] }],
        ['/pooling', image(1)],
        ['/pooling', image(2)],
      ]);
    },
  );

  it.each(['/v1', '/v1/embeddings/'])(
    'of Jina requests multi-vectors at an address with "%s"',
    async (path) => {
      const body = (task: string, input: object) => ({
        model: MODEL,
        task,
        input: [input],
        return_multivector: true,
        embedding_type: 'float',
        truncate: true,
      });
      expect(await sent('jina', path)).toEqual([
        ['/v1/embeddings', body('retrieval.query', { text: 'words' })],
        ['/v1/embeddings', body('retrieval.passage', { image: base64(1) })],
        ['/v1/embeddings', body('retrieval.query', { image: base64(2) })],
      ]);
    },
  );

  it('of Morphik names the type of its inputs', async () => {
    expect(await sent('morphik', '')).toEqual([
      ['/embeddings', { input_type: 'text', inputs: ['words'] }],
      ['/embeddings', { input_type: 'image', inputs: [base64(1)] }],
      ['/embeddings', { input_type: 'image', inputs: [base64(2)] }],
    ]);
  });
});
