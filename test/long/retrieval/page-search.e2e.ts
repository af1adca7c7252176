import { Transformer } from '@napi-rs/image';
import { createCanvas } from '@napi-rs/canvas';
import { Client } from '../../support/client.js';
import { CompletionService } from '../../support/completion-service.js';
import { Documents, type Chunk } from '../../support/documents.js';
import { startFakeServer, type FakeServer } from '../../support/fake-server.js';
import { minimalPdf } from '../../support/minimal-pdf.js';

const COLPALI = { use_colpali: 'true' };
const BIRDS = ['The heron stands in the reeds', 'The grebe dives for perch', 'The stork nests on a chimney'];
const FISH = ['The pike lurks below the lily', 'The eel comes out of the sea', 'The tench lies in the mud'];

interface Found extends Chunk {
  readonly content_type: string;
  readonly download_url: string | null;
}

interface Grouped {
  readonly chunks: readonly Found[];
  readonly groups: readonly {
    readonly main_chunk: Found;
    readonly padding_chunks: readonly Found[];
    readonly total_chunks: number;
  }[];
  readonly total_results: number;
  readonly has_padding: boolean;
}

/** A PDF with a sentence in large letters on each page. */
const pdfOf = (sentences: readonly string[]): Uint8Array =>
  minimalPdf(
    sentences.map((sentence, index) => ({
      size: [400, 300] as const,
      content: `BT /F1 20 Tf 20 ${240 - index * 40} Td (${sentence}) Tj ET ${40 + index * 60} 20 ${50 + index * 20} 60 re f`,
    })),
  );

/** A PDF of one page with a line of small letters each. */
const pageOfLines = (lines: readonly string[]): Uint8Array =>
  minimalPdf([
    {
      size: [600, 800] as const,
      content: `BT /F1 9 Tf 12 TL 20 780 Td ${lines.map((line) => `(${line}.) Tj T*`).join(' ')} ET`,
    },
  ]);

const isPage = ({ metadata }: Pick<Chunk, 'metadata'>): boolean => metadata['is_image'] === true;
const pngOf = (uri: string): Buffer => Buffer.from(uri.replace('data:image/png;base64,', ''), 'base64');

describe('page search', () => {
  let fakes: CompletionService;
  let documents: Documents;
  let birds: string;
  let fish: string;
  let text: string;
  beforeAll(async () => {
    fakes = await CompletionService.start();
    documents = new Documents(() => fakes.service.client);
    const ingest = async (name: string, sentences: readonly string[], kind: string): Promise<string> => {
      const more = { ...COLPALI, metadata: JSON.stringify({ kind }) };
      return (await documents.ingestFile(name, pdfOf(sentences), more)).external_id;
    };
    birds = await ingest('birds.pdf', BIRDS, 'bird');
    fish = await ingest('fish.pdf', FISH, 'fish');
    text = (await documents.ingestText('The otter sleeps by day.', { filename: 'otter.txt' })).external_id;
  });
  afterAll(() => fakes.stop());

  const retrieve = async (body: object): Promise<Found[]> =>
    (await documents.retrieve({ use_colpali: true, output_format: 'text', ...body })) as Found[];
  const grouped = async (body: object): Promise<Grouped> => {
    const answer = await fakes.service.client.post('/retrieve/chunks/grouped', {
      use_colpali: true,
      ...body,
    });
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
    return answer.json() as Grouped;
  };
  const imageOf = async (id: string, page: number): Promise<Buffer> => {
    const asked = { document_id: id, start_page: page, end_page: page };
    const answer = await fakes.service.client.post('/documents/pages', asked);
    return pngOf((answer.json() as { pages: string[] }).pages[0] ?? '');
  };

  describe('with a text query', () => {
    it('finds the page of the relevant passage, among texts without pages', async () => {
      const query = 'Where does the stork nest?';
      const found = await retrieve({ query, k: 50 });
      expect(found.filter(isPage)).toHaveLength(6);
      expect(found.filter((chunk) => !isPage(chunk)).map(({ document_id }) => document_id)).toEqual([text]);
      const passages = await retrieve({ query, k: 50, use_colpali: false });
      const scoreOf = (chunks: readonly Found[]) =>
        chunks.map(({ document_id, metadata, score }) => [document_id, metadata['page_number'], score]);
      expect(scoreOf(found)).toEqual(scoreOf(passages));
      expect(found.find(isPage)).toMatchObject({
        document_id: birds,
        chunk_number: 2,
        content: expect.stringContaining('stork') as string,
        content_type: 'image/png',
        filename: 'birds.pdf',
        download_url: null,
        is_padding: false,
        metadata: { is_image: true, page_number: 3, kind: 'bird', external_id: birds },
      });
      const scores = found.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((one, other) => other - one));
      expect(Math.min(...scores)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...scores)).toBeLessThanOrEqual(1);
    });

    it('returns no pages without use_colpali', async () => {
      const found = await retrieve({ query: 'Where does the stork nest?', k: 50, use_colpali: false });
      expect(found.some(isPage)).toBe(false);
    });

    it('returns all matching pages within the filter, with the same scores', async () => {
      const query = 'Where does the stork nest?';
      const all = await retrieve({ query, k: 50 });
      const scoreOf = new Map(
        all.map((one) => [`${one.document_id} ${String(isPage(one))} ${one.chunk_number}`, one.score]),
      );
      for (const k of [1, 2, 3, 50]) {
        const found = await retrieve({ query, k, filters: { kind: 'fish' } });
        const matching = all.filter(({ document_id }) => document_id === fish);
        expect(found).toHaveLength(Math.min(k, matching.length));
        for (const one of found) {
          expect(one.document_id).toBe(fish);
          expect(one.score).toBe(scoreOf.get(`${fish} ${String(isPage(one))} ${one.chunk_number}`));
        }
      }
      expect(await retrieve({ query, k: 50, filters: { kind: 'reptile' } })).toEqual([]);
      expect(await retrieve({ query, k: 50, folder_name: '/nowhere' })).toEqual([]);
      const least = all[3]?.score ?? 0;
      expect(await retrieve({ query, k: 50, min_score: least })).toHaveLength(
        all.filter(({ score }) => score >= least).length,
      );
    });

    it('returns images in the requested format: data URI, link without a key, or text', async () => {
      const query = { query: 'Where does the stork nest?', k: 50 };
      const [image, link, words] = await Promise.all(
        [{ output_format: null }, { output_format: 'url' }, { output_format: 'text' }].map(async (format) =>
          (await retrieve({ ...query, ...format })).find(isPage),
        ),
      );
      const png = await imageOf(birds, 3);
      expect(pngOf(image?.content ?? '').equals(png)).toBe(true);
      expect(image?.download_url).toBeNull();
      expect(link?.download_url).toBe(link?.content);
      const served = await fetch(link?.download_url ?? '');
      expect(Buffer.from(await served.arrayBuffer()).equals(png)).toBe(true);
      expect(words).toMatchObject({
        content: expect.stringContaining('stork nests') as string,
        download_url: null,
      });
    });

    it('adds padding from neighbouring pages', async () => {
      const { chunks, groups, ...totals } = await grouped({
        query: 'The grebe dives for perch',
        k: 1,
        padding: 1,
        filters: { external_id: birds },
        output_format: 'url',
      });
      const main = groups[0]?.main_chunk;
      expect(groups).toHaveLength(1);
      expect(main).toMatchObject({ chunk_number: 1, is_padding: false });
      expect(chunks.map((chunk) => [chunk.chunk_number, chunk.is_padding, chunk.score > 0])).toEqual([
        [1, false, true],
        [0, true, false],
        [2, true, false],
      ]);
      expect(chunks.every(isPage)).toBe(true);
      expect(new Set(chunks.map(({ download_url }) => download_url)).size).toBe(3);
      expect(totals).toEqual({ total_results: 3, has_padding: true });
      const without = await grouped({
        query: 'The grebe dives for perch',
        k: 50,
        padding: 1,
        output_format: 'text',
      });
      expect(without).toMatchObject({ has_padding: false, total_results: without.groups.length });
    });

    it('returns nothing to another tenant', async () => {
      const answer = await fakes.service.client.post('/retrieve/chunks', {
        query: 'stork',
        use_colpali: true,
        end_user_id: 'somebody else',
      });
      expect(answer.json()).toEqual([]);
      const anonymous = new Client(fakes.service.url, null);
      expect((await anonymous.post('/retrieve/chunks', { query: 'stork', use_colpali: true })).status).toBe(
        401,
      );
    });
  });

  describe('with a query image', () => {
    const byImage = (image: Uint8Array, more: object = {}) =>
      retrieve({ query_image: Buffer.from(image).toString('base64'), k: 6, ...more });

    it.each([
      [1, 'birds'],
      [3, 'birds'],
      [2, 'fish'],
    ] as const)('finds page %i of %s from a small copy', async (page, which) => {
      const id = which === 'birds' ? birds : fish;
      const png = await imageOf(id, page);
      const { width, height } = await new Transformer(png).metadata();
      const copy = await new Transformer(png)
        .fastResize({ width: Math.round(width * 0.6), height: Math.round(height * 0.6) })
        .jpeg(70);
      const found = await byImage(copy);
      expect(found).toHaveLength(6);
      expect(found[0]).toMatchObject({ document_id: id, chunk_number: page - 1 });
      expect(found[0]!.score).toBeGreaterThan(0.9);
      expect(await byImage(copy, { filters: { kind: 'reptile' } })).toEqual([]);
    });

    it('finds nothing similar for an unrelated picture', async () => {
      const canvas = createCanvas(300, 200);
      const pen = canvas.getContext('2d');
      const sky = pen.createLinearGradient(0, 0, 300, 200);
      sky.addColorStop(0, 'navy');
      sky.addColorStop(1, 'orange');
      pen.fillStyle = sky;
      pen.fillRect(0, 0, 300, 200);
      const found = await byImage(await canvas.encode('jpeg', 80));
      expect(found).toHaveLength(6);
      expect(found[0]!.score).toBeLessThan(0.85);
      const white = await byImage(await createCanvas(40, 30).encode('png'));
      expect(white).toEqual([]);
    });

    it('rejects an image that cannot be decoded', async () => {
      const png = await imageOf(birds, 1);
      const body = { query_image: png.subarray(0, 600).toString('base64'), use_colpali: true };
      const answer = await fakes.service.client.post('/retrieve/chunks', body);
      expect([answer.status, answer.json()]).toMatchObject([
        422,
        { detail: [{ loc: ['body', 'query_image'], type: 'value_error' }] },
      ]);
    });
  });

  describe('for a completion', () => {
    const ask = async (body: object) => {
      fakes.provider.forget();
      const answer = await fakes.service.client.post('/query', { use_colpali: true, k: 50, ...body });
      expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
      const { sources } = answer.json() as { sources: { document_id: string; chunk_number: number }[] };
      return { sources, content: fakes.provider.last.body.messages.at(-1)?.content };
    };

    it('sends page images to a vision model, in the order of the sources', async () => {
      const body = { query: 'Where does the stork nest?', filters: { kind: 'bird' } };
      const { content } = await ask({ ...body, llm_config: { vision: true } });
      const urls = (content as readonly { image_url?: { url: string } }[]).flatMap(({ image_url }) =>
        image_url === undefined ? [] : [image_url.url],
      );
      const pages = (await retrieve({ ...body, k: 50 })).filter(isPage);
      expect(pages).toHaveLength(3);
      const images = await Promise.all(pages.map(({ chunk_number }) => imageOf(birds, chunk_number + 1)));
      expect(urls.map(pngOf)).toEqual(images);
    });

    it('sends the text to a model without vision', async () => {
      const { content, sources } = await ask({
        query: 'Where does the stork nest?',
        filters: { kind: 'bird' },
      });
      expect(content).toEqual(expect.stringContaining('birds.pdf, page 3'));
      expect(sources).toHaveLength(3);
    });

    it('sends the query image to the model', async () => {
      const query_image = (await imageOf(fish, 2)).toString('base64');
      const { content } = await ask({ query_image, k: 1, llm_config: { vision: true } });
      expect(JSON.stringify(content)).toContain(query_image);
    });
  });

  it('returns passages and pages by number', async () => {
    const batch = async (body: object): Promise<Found[]> => {
      const answer = await fakes.service.client.post('/batch/chunks', body);
      expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
      return answer.json() as Found[];
    };
    const unknown = '00000000-0000-4000-8000-000000000000';
    const sources = [
      { document_id: birds, chunk_number: 2, score: 0.5 },
      { document_id: unknown, chunk_number: 0 },
      { document_id: 'no id', chunk_number: 0 },
      { document_id: birds, chunk_number: 99 },
      { document_id: fish, chunk_number: 0 },
      { document_id: birds, chunk_number: 2, score: 0.1 },
    ];
    const pages = await batch({ sources, use_colpali: true, output_format: 'text' });
    expect(pages).toMatchObject([
      { document_id: birds, chunk_number: 2, score: 0.5, metadata: { is_image: true, page_number: 3 } },
      { document_id: fish, chunk_number: 0, score: 0, metadata: { is_image: true, page_number: 1 } },
    ]);
    const texts = await batch({ sources: [{ document_id: text, chunk_number: 0 }] });
    expect(texts).toMatchObject([
      {
        document_id: text,
        content: 'The otter sleeps by day.',
        content_type: 'text/plain',
        is_padding: false,
      },
    ]);
    // Chunks without page images are returned as text, for clients that always request both.
    const both = [{ document_id: text, chunk_number: 0 }];
    expect(await batch({ sources: both, use_colpali: true })).toEqual(texts);
    expect(await batch({ sources, use_colpali: true, folder_name: '/nowhere' })).toEqual([]);
    expect(await batch({ sources: [] })).toEqual([]);
    const [image] = await batch({ sources: [{ document_id: fish, chunk_number: 1 }], use_colpali: true });
    expect(pngOf(image?.content ?? '').equals(await imageOf(fish, 2))).toBe(true);
  });

  it('returns a page with several passages once', async () => {
    const long = Array.from(
      { length: 40 },
      (_, at) => `Line ${at + 1} tells of the walrus and of ${at} seals`,
    );
    const walrus = pageOfLines(long);
    const id = (await documents.ingestFile('walrus.pdf', walrus, COLPALI)).external_id;
    const asked = { query: 'What is told of the walrus?', filters: { external_id: { $in: [id, birds] } } };
    expect((await retrieve({ ...asked, use_colpali: false, k: 50 })).length).toBeGreaterThan(4);
    for (const k of [1, 2, 4, 50]) {
      const found = await retrieve({ ...asked, k });
      const places = found.map(({ document_id, chunk_number }) => `${document_id} ${chunk_number}`);
      expect(new Set(places).size).toBe(Math.min(k, 4));
      expect(found).toHaveLength(Math.min(k, 4));
      expect(found[0]).toMatchObject({ document_id: id, chunk_number: 0 });
    }
  });

  it('finds the current pages of an updated document', async () => {
    const id = (await documents.ingestFile('x.pdf', pdfOf(['A badger digs']), COLPALI)).external_id;
    const pagesOf = async (): Promise<number> =>
      (await retrieve({ query: 'badger', k: 50, filters: { external_id: id } })).filter(isPage).length;
    expect(await pagesOf()).toBe(1);
    const update = { content: 'Nothing to see.' };
    await fakes.service.client.post(`/documents/${id}/update_text?update_strategy=replace`, update);
    expect(await pagesOf()).toBe(0);
  });
});

describe('page search with a multi-vector model', () => {
  /** The nth embedded image, and a question that names it, have the nth direction. */
  const DIRECTIONS = 8;
  const direction = (at: number): number[] =>
    Array.from({ length: DIRECTIONS }, (_, i) => (i === at ? 1 : 0));
  let fakes: CompletionService;
  let server: FakeServer;
  let documents: Documents;
  let birds: string;
  const images: string[] = [];
  beforeAll(async () => {
    server = await startFakeServer(({ body }) => {
      const { input, messages } = body as { input?: string[]; messages?: object[] };
      const seen = messages === undefined ? undefined : JSON.stringify(messages);
      if (seen !== undefined && !images.includes(seen)) images.push(seen);
      const at = seen === undefined ? Number(/image (\d)/.exec(input?.[0] ?? '')?.[1]) : images.indexOf(seen);
      return { json: { data: [{ index: 0, data: [direction(at)] }] } };
    });
    fakes = await CompletionService.start({
      MULTIVECTOR: 'http',
      MULTIVECTOR_API_BASE: server.url,
      MULTIVECTOR_MODEL: 'vidore/fake',
    });
    documents = new Documents(() => fakes.service.client);
    birds = (await documents.ingestFile('birds.pdf', pdfOf(BIRDS), COLPALI)).external_id;
  });
  afterAll(async () => {
    await fakes.stop();
    await server.close();
  });

  it('finds a page by its image, ranked together with passages', async () => {
    const found = (await documents.retrieve({
      query: 'What does image 1 show?',
      use_colpali: true,
      output_format: 'text',
      k: 50,
    })) as Found[];
    expect(found.filter(isPage)).toHaveLength(3);
    expect(found.filter((chunk) => !isPage(chunk))).toHaveLength(3);
    expect(found[0]).toMatchObject({
      chunk_number: 1,
      score: 1,
      metadata: { is_image: true, page_number: 2 },
    });
    expect(found.filter(isPage).map(({ score }) => score)).toEqual([1, 0.5, 0.5]);
  });

  it('embeds the query image', async () => {
    const asked = { document_id: birds, start_page: 3, end_page: 3 };
    const { pages } = (await fakes.service.client.post('/documents/pages', asked)).json() as {
      pages: string[];
    };
    const found = (await documents.retrieve({
      query_image: pages[0],
      use_colpali: true,
      output_format: 'text',
      k: 1,
    })) as Found[];
    expect(found).toMatchObject([{ chunk_number: 2, metadata: { is_image: true } }]);
  });
});
