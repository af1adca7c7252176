import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { startFakeServer } from '../../support/fake-server.js';
import { Documents, textOf, type DocumentRecord } from '../../support/documents.js';
import { ScriptedModel } from '../../support/scripted-model.js';
import { Service } from '../../support/service.js';

const extraction = (schema: object, stage?: string) => ({
  type: 'metadata_extraction',
  schema,
  ...(stage === undefined ? {} : { stage }),
});
const rewriting = (prompt: string, stage?: string) => ({
  type: 'natural_language',
  prompt,
  ...(stage === undefined ? {} : { stage }),
});

/** Some chunks of text. */
const LONG = Array.from(
  { length: 60 },
  (_, n) =>
    `Paragraph ${n} tells of lighthouse ${n}, whose lamp was lit by keeper ${n} in the year ${1800 + n}.`,
).join('\n\n');

describe('rules', () => {
  let model: ScriptedModel;
  let service: Service;
  let documents: Documents;
  const update = (id: string, body: object, strategy = 'add', headers: Record<string, string> = {}) =>
    service.client.post(`/documents/${id}/update_text?update_strategy=${strategy}`, body, { headers });

  beforeAll(async () => {
    model = await ScriptedModel.start();
    service = await Service.start({ ...model.environment, LLM_CONTEXT_WINDOW: '2000' });
    documents = new Documents(() => service.client);
  });
  afterAll(async () => {
    await service.stop();
    await model.close();
  });
  beforeEach(() => {
    model.calls.length = 0;
  });

  it('extract typed metadata from new content only; explicit metadata wins', async () => {
    const { external_id: id } = await documents.ingestText('The old part.', {
      metadata: { author: 'Old', kept: 1 },
    });
    model.script = () => '{"author":"Ann","published":"2026-02-03","pages":12,"topic":null,"price":"9.90"}';
    const answer = await update(id, {
      content: 'Ann wrote this.',
      metadata: { pages: 13 },
      metadata_types: { price: 'decimal' },
      rules: [
        extraction({
          author: { type: 'string', description: 'Who wrote it' },
          published: { type: 'date' },
          pages: { type: 'integer' },
          topic: { description: 'What it is about' },
          price: { type: 'string' },
        }),
      ],
    });
    expect([answer.status, answer.json()]).toMatchObject([
      200,
      {
        metadata: { author: 'Ann', kept: 1, pages: 13, published: '2026-02-03', price: '9.9' },
        metadata_types: { published: 'date', pages: 'number', price: 'decimal' },
        system_metadata: { version: 2, update_history: [{ metadata_updated: true }] },
      },
    ]);
    expect((answer.json() as DocumentRecord).metadata).not.toHaveProperty('topic');
    expect(model.calls.map(({ text }) => text)).toEqual(['Ann wrote this.']);
    const filters = { external_id: id, published: { $gte: '2026-02-03T00:00:00Z' } };
    expect(await documents.retrieve({ query: 'old part', filters })).toHaveLength(1);
  });

  it('rewrite content before it is stored, in order', async () => {
    const { external_id: id } = await documents.ingestText('The old part.');
    model.script = ({ prompt, text }) => (prompt.includes('Shout') ? text.toUpperCase() : `${text} Signed.`);
    const answer = await update(id, {
      content: '  quiet words\n',
      rules: [rewriting('Shout.'), rewriting('Sign it.')],
    });
    expect(answer.status).toBe(200);
    expect(await documents.text(id)).toBe('The old part.\n\n  QUIET WORDS Signed.\n');
    expect(textOf(await documents.chunks(id))).toBe(await documents.text(id));
  });

  it('receive the output of earlier rules', async () => {
    const { external_id: id } = await documents.ingestText('The old part.');
    model.script = ({ prompt, text }) =>
      prompt.includes('JSON Schema') ? JSON.stringify({ seen: text }) : text.toUpperCase();
    const schema = { type: 'object', properties: { seen: { type: 'string' } }, required: ['seen'] };
    const first = await update(id, { content: 'words', rules: [extraction(schema), rewriting('Shout.')] });
    expect(first.json()).toMatchObject({ metadata: { seen: 'words' } });
    const second = await update(id, { content: 'words', rules: [rewriting('Shout.'), extraction(schema)] });
    expect(second.json()).toMatchObject({ metadata: { seen: 'WORDS' } });
  });

  it.each(['add', 'replace'])(
    'rewrite each chunk, so that the chunks still make the text (%s)',
    async (strategy) => {
      const { external_id: id } = await documents.ingestText('The old part.');
      model.script = ({ text }) => text.toUpperCase();
      const answer = await update(
        id,
        { content: LONG, rules: [rewriting('Shout.', 'post_chunking')] },
        strategy,
      );
      expect(answer.status).toBe(200);
      expect(model.calls.length).toBeGreaterThan(2);
      expect(await documents.text(id)).toBe(
        strategy === 'add' ? `The old part.\n\n${LONG.toUpperCase()}` : LONG.toUpperCase(),
      );
      const chunks = await documents.chunks(id);
      expect(textOf(chunks)).toBe(await documents.text(id));
      expect((answer.json() as DocumentRecord).chunk_ids).toEqual(chunks.map((_, n) => `${id}-${n}`));
    },
  );

  it('split a rewritten chunk that has grown, and drop an empty one', async () => {
    const { external_id: id } = await documents.ingestText('The old part.');
    model.script = ({ text, prompt }) =>
      text.includes('Paragraph 0 ')
        ? `${text} And more besides. `.repeat(4)
        : (/answer "(\S+ nothing left)"/.exec(prompt)?.[1] ?? '');
    const rules = [rewriting('Keep the beginning.', 'post_chunking')];
    expect((await update(id, { content: LONG, rules }, 'replace')).status).toBe(200);
    const text = await documents.text(id);
    expect(text).toContain('And more besides.');
    expect(text).not.toContain('Paragraph 59 ');
    const chunks = await documents.chunks(id);
    expect(chunks.length).toBeGreaterThan(1);
    expect(textOf(chunks)).toBe(text);
  });

  it('do not overwrite metadata set while a file was processed', async () => {
    model.script = () => '{"port":"Aldermouth"}';
    const { external_id: id } = await documents.ingestText('The beginning.');
    const form = new FormData();
    form.append('file', new Blob(['Herons fish at dawn, and rest. '.repeat(800)]), 'second.txt');
    form.append('rules', JSON.stringify([extraction({ port: { type: 'string' } }, 'post_chunking')]));
    const updated = await service.client.post(`/documents/${id}/update_file`, form);
    expect(updated.status).toBe(200);
    await service.client.post(`/documents/${id}/update_metadata`, { metadata: { port: 'Brisling' } });
    await documents.settled(id);
    const chunks = await documents.chunks(id);
    expect(chunks.length).toBeGreaterThan(4);
    expect(new Set(chunks.map(({ metadata }) => metadata['port']))).toEqual(new Set(['Brisling']));
  });

  it('extract metadata of chunks: each chunk has its own, the document the first; explicit metadata wins', async () => {
    const { external_id: id } = await documents.ingestText('The old part.', { metadata: { kept: 1 } });
    model.script = ({ text }) => {
      const years = [...text.matchAll(/year (\d+)/g)].map(([, year]) => Number(year));
      return JSON.stringify({ from: years[0], keepers: years.slice(0, 1).map(String), kept: 2 });
    };
    const schema = {
      from: { type: 'integer' },
      keepers: { type: 'array' },
      kept: { type: 'integer' },
    };
    const answer = await update(id, {
      content: LONG,
      metadata: { kept: 3 },
      rules: [extraction(schema, 'post_chunking')],
    });
    const chunks = (await documents.chunks(id)).slice(1);
    expect(chunks.length).toBeGreaterThan(2);
    for (const { content, metadata } of chunks) {
      const year = Number(/year (\d+)/.exec(content)?.[1]);
      expect(metadata).toMatchObject({ from: year, kept: 3 });
    }
    expect(answer.json()).toMatchObject({
      metadata: { from: 1800, kept: 3, keepers: chunks.map(({ metadata }) => String(metadata['from'])) },
      additional_metadata: { chunk_metadata_keys: ['from', 'keepers'] },
    });
    expect(textOf(await documents.chunks(id))).toBe(await documents.text(id));
    await service.client.post(`/documents/${id}/update_metadata`, { from: 1 });
    expect((await documents.chunks(id)).map(({ metadata }) => metadata['from'])).toEqual(
      (await documents.chunks(id)).map(() => 1),
    );
  });

  it('process content longer than the context window in parts', async () => {
    const { external_id: id } = await documents.ingestText('The old part.');
    model.script = ({ text, prompt }) =>
      prompt.includes('JSON Schema')
        ? JSON.stringify({ last: text.includes('lighthouse 59,') ? 'here' : null, lamps: [text.slice(0, 5)] })
        : text.toUpperCase();
    const answer = await update(
      id,
      {
        content: LONG,
        rules: [extraction({ last: { type: 'string' }, lamps: { type: 'array' } }), rewriting('Shout.')],
      },
      'replace',
    );
    expect(answer.json()).toMatchObject({ metadata: { last: 'here' } });
    expect(model.calls.length).toBeGreaterThan(4);
    expect(await documents.text(id)).toBe(LONG.toUpperCase());
  });

  it.each([
    ['fails', () => ({ status: 500 }), {}],
    ['refuses the key', () => ({ status: 401 }), {}],
    [
      'asks to slow down',
      () => ({ status: 429, headers: { 'retry-after': '200' } }),
      { 'retry-after': '200' },
    ],
    ['is cut', () => ({ text: 'Half an', finishReason: 'length' }), {}],
    ['refuses', () => ({ refusal: 'I cannot help with that.' }), {}],
    ['is empty', () => '', {}],
  ])('whose output %s change nothing: 502', async (_why, script, headers) => {
    const { external_id: id } = await documents.ingestText('As it was.', { metadata: { a: 1 } });
    const before = await documents.get(id);
    model.script = script;
    const answer = await update(id, { content: 'More.', metadata: { b: 2 }, rules: [rewriting('Shorten.')] });
    expect([answer.status, answer.json()]).toEqual([
      502,
      {
        detail: expect.stringMatching(
          /^(Rule 0 \(natural_language\) failed|The rules removed the whole content)/,
        ) as unknown,
      },
    ]);
    expect(Object.fromEntries(answer.headers)).toMatchObject(headers);
    expect(await documents.get(id)).toEqual(before);
    expect(await documents.text(id)).toBe('As it was.');
  });

  it('that fail on one chunk change nothing, and make no further model calls', async () => {
    const { external_id: id } = await documents.ingestText('As it was.');
    model.script = ({ text }) => (text.includes('Paragraph 0 ') ? { status: 400 } : text);
    const answer = await update(id, {
      content: LONG.repeat(4),
      rules: [rewriting('Shout.', 'post_chunking')],
    });
    expect(answer.status).toBe(502);
    expect(model.calls.length).toBeLessThan(10);
    expect(await documents.text(id)).toBe('As it was.');
  });

  it.each([
    ['never obeys the schema', '{"year": "long ago"}'],
    ['says what its type does not take', '{"year": 1, "day": "yesterday"}'],
    ['writes what cannot be stored', '{"year": 1, "note": "\\u0000"}'],
  ])('whose model %s change nothing: 502', async (_why, text) => {
    const { external_id: id } = await documents.ingestText('As it was.');
    model.script = () => text;
    const schema = { year: { type: 'integer' }, day: { type: 'string' }, note: { description: 'Anything' } };
    const answer = await update(id, {
      content: 'More.',
      metadata_types: { day: 'date' },
      rules: [{ ...extraction({ ...schema }) }],
    });
    expect(answer.status).toBe(502);
    expect(await documents.text(id)).toBe('As it was.');
  });

  it.each([
    ['another type', [{ type: 'summary' }], ['rules', 0, 'type'], 'enum'],
    ['no type', [{}], ['rules', 0, 'type'], 'missing'],
    ['no object', [7], ['rules', 0], 'dict_type'],
    ['no list', { type: 'natural_language' }, ['rules'], 'list_type'],
    ['no schema', [{ type: 'metadata_extraction' }], ['rules', 0, 'schema'], 'missing'],
    ['a schema of no object', [extraction({ type: 'string' })], ['rules', 0, 'schema'], 'value_error'],
    ['an empty schema', [extraction({})], ['rules', 0, 'schema'], 'value_error'],
    [
      'a broken schema',
      [extraction({ type: 'object', properties: { a: { $ref: 'https://example.org/a' } } })],
      ['rules', 0, 'schema', 'properties', 'a', '$ref'],
      'value_error',
    ],
    [
      'an unknown field type',
      [rewriting('x'), extraction({ a: { type: 'colour' } })],
      ['rules', 1, 'schema', 'a', 'type'],
      'enum',
    ],
    [
      'a reserved field',
      [extraction({ filename: { type: 'string' } })],
      ['rules', 0, 'schema', 'filename'],
      'value_error',
    ],
    [
      'a reserved property',
      [extraction({ type: 'object', properties: { folder_name: {} } })],
      ['rules', 0, 'schema', 'properties', 'folder_name'],
      'value_error',
    ],
    ['a blank prompt', [rewriting(' ')], ['rules', 0, 'prompt'], 'value_error'],
    ['an unknown stage', [rewriting('x', 'pre')], ['rules', 0, 'stage'], 'enum'],
  ])('with %s are rejected before any work', async (_why, rules, path, type) => {
    const { external_id: id } = await documents.ingestText('As it was.');
    const form = new FormData();
    form.append('file', new Blob(['x']), 'a.txt');
    form.append('rules', JSON.stringify(rules));
    for (const answer of [
      await update(id, { content: 'More.', rules }),
      await service.client.post('/ingest/text', { content: 'More.', rules }),
      await service.client.post('/ingest/file', form),
    ]) {
      expect([answer.status, answer.json()]).toMatchObject([
        422,
        { detail: [{ loc: ['body', ...path], type }] },
      ]);
    }
    expect(model.calls).toEqual([]);
  });

  it('do not run again for a repeated Idempotency-Key', async () => {
    const { external_id: id } = await documents.ingestText('The old part.');
    model.script = ({ text }) => text.toUpperCase();
    const headers = { 'Idempotency-Key': randomUUID() };
    const body = { content: 'words', rules: [rewriting('Shout.')] };
    const first = await update(id, body, 'add', headers);
    const again = await update(id, body, 'add', headers);
    expect(again.json()).toEqual(first.json());
    expect(model.calls).toHaveLength(1);
    const other = await update(id, { ...body, rules: [rewriting('Whisper.')] }, 'add', headers);
    expect(other.status).toBe(409);
  });

  it('do not run for an unknown document', async () => {
    const answer = await update(randomUUID(), { content: 'words', rules: [rewriting('Shout.')] });
    expect([answer.status, model.calls.length]).toEqual([404, 0]);
  });

  it('run on ingested texts: explicit metadata wins, the source is not changed', async () => {
    model.script = ({ prompt, text }) =>
      prompt.includes('JSON Schema') ? '{"author":"Ann","year":2026}' : text.toUpperCase();
    const record = await documents.ingestText('Ann wrote this in 2026.', {
      metadata: { author: 'Anonymous' },
      rules: [extraction({ author: { type: 'string' }, year: { type: 'integer' } }), rewriting('Shout.')],
    });
    expect(record).toMatchObject({
      metadata: { author: 'Anonymous', year: 2026 },
      system_metadata: { status: 'completed', version: 1 },
    });
    expect(await documents.text(record.external_id)).toBe('ANN WROTE THIS IN 2026.');
  });

  it('run on ingested files: chunks keep their pages', async () => {
    model.script = ({ prompt, text }) =>
      prompt.includes('JSON Schema') ? JSON.stringify({ start: text.slice(0, 10) }) : text.toUpperCase();
    const bytes = readFileSync('demo/documents/observatory-annual-report-2025.pdf');
    const record = await documents.ingestFile('report.pdf', bytes, {
      rules: JSON.stringify([
        extraction({ start: { type: 'string' } }, 'post_chunking'),
        rewriting('Shout.', 'post_chunking'),
      ]),
    });
    expect(record.system_metadata).toMatchObject({ status: 'completed', page_count: 4 });
    const chunks = await documents.chunks(record.external_id);
    const text = await documents.text(record.external_id);
    expect(text).toBe(text.toUpperCase());
    expect(textOf(chunks)).toBe(text);
    expect(new Set(chunks.map(({ metadata }) => metadata['page_number']))).toEqual(new Set([1, 2, 3, 4]));
    for (const { content, metadata } of chunks) {
      expect(content).toContain(String(metadata['start']).trim().toUpperCase());
    }
  });

  it('of an ingestion are retried while the provider fails, and end as failed with a reason', async () => {
    let failures = 2;
    model.script = ({ text }) => (failures-- > 0 ? { status: 500 } : text.toUpperCase());
    const record = await documents.ingestText('Patience.', { rules: [rewriting('Shout.')] });
    expect(record.system_metadata.status).toBe('completed');
    expect(await documents.text(record.external_id)).toBe('PATIENCE.');

    model.script = () => ({ text: 'Half', finishReason: 'length' });
    const failed = await documents.ingestText('Whole.', { rules: [rewriting('Shout.')] });
    expect(failed.system_metadata).toMatchObject({
      status: 'failed',
      error:
        'Rule 0 (natural_language) failed: the answer of scripted was truncated before the end of the content',
    });
    expect(await documents.chunks(failed.external_id)).toEqual([]);
  });
});

describe('rules without a language model', () => {
  it('are rejected at their locations before any work', async () => {
    const service = await Service.start();
    try {
      const documents = new Documents(() => service.client);
      const { external_id: id } = await documents.ingestText('As it was.');
      const rules = [extraction({ author: { type: 'string' } }), rewriting('Shout.')];
      for (const path of [`/documents/${id}/update_text`, '/ingest/text']) {
        const answer = await service.client.post(path, { content: 'By Ann.', rules });
        expect([answer.status, answer.json()]).toMatchObject([
          422,
          {
            detail: [0, 1].map((index) => ({
              loc: ['body', 'rules', index],
              msg: expect.stringContaining('LLM_MODEL') as string,
            })),
          },
        ]);
      }
      expect(await documents.text(id)).toBe('As it was.');
    } finally {
      await service.stop();
    }
  });
});

describe('rules of an ingestion that is interrupted', () => {
  it('run once, whatever fails after them', async () => {
    const model = await ScriptedModel.start();
    model.script = ({ text, prompt }) =>
      prompt.includes('JSON Schema') ? '{"seen":true}' : `${text.toUpperCase()} ${model.calls.length}`;
    let failures = 2;
    const embedder = await startFakeServer(({ body }) => {
      const { input } = body as { input: string | string[] };
      const texts = typeof input === 'string' ? [input] : input;
      if (texts.some((text) => text.includes('PATIENCE')) && failures-- > 0) return { status: 400 };
      return {
        json: { data: texts.map((text, index) => ({ index, embedding: [text.length % 7, 1, 0.5, 0.25] })) },
      };
    });
    const service = await Service.start({
      ...model.environment,
      EMBEDDING_MODEL: 'openai/fake',
      EMBEDDING_API_BASE: `${embedder.url}/v1`,
      EMBEDDING_API_KEY: 'sk-test',
      EMBEDDING_DIMENSIONS: '4',
    });
    try {
      const documents = new Documents(() => service.client);
      const rules = [extraction({ seen: { type: 'boolean' } }), rewriting('Shout.', 'post_chunking')];
      const record = await documents.ingestText('Patience is rewarded.', { rules });
      expect(record).toMatchObject({ metadata: { seen: true }, system_metadata: { status: 'completed' } });
      await service.printed('ingestion step failed; trying again');
      expect(model.calls).toHaveLength(2);
      expect(await documents.text(record.external_id)).toBe('PATIENCE IS REWARDED. 2');
    } finally {
      await service.stop();
      await embedder.close();
      await model.close();
    }
  });
});

describe('rules without a language model', () => {
  let service: Service;
  let documents: Documents;
  beforeAll(async () => {
    service = await Service.start();
    documents = new Documents(() => service.client);
  });
  afterAll(() => service.stop());

  it.each([
    ['in words', rewriting('Shorten.')],
    ['that extract metadata', extraction({ author: { type: 'string', description: 'The author' } })],
  ])('%s are rejected with the missing setting, and change nothing', async (_, rule) => {
    const { external_id: id } = await documents.ingestText('As it was.');
    for (const path of [`/documents/${id}/update_text`, '/ingest/text']) {
      const answer = await service.client.post(path, { content: 'More.', rules: [rule] });
      expect([answer.status, answer.json()]).toMatchObject([
        422,
        {
          detail: [
            {
              loc: ['body', 'rules', 0],
              type: 'value_error',
              msg: expect.stringContaining('LLM_MODEL') as unknown,
            },
          ],
        },
      ]);
    }
    expect(await documents.text(id)).toBe('As it was.');
  });
});
