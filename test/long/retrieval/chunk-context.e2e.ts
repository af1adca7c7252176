import { startFakeEmbeddings } from '../../support/fake-embeddings.mjs';
import { Documents, textOf, type DocumentRecord } from '../../support/documents.js';
import { Service } from '../../support/service.js';
import { until } from '../../support/until.js';

const SENTENCE = 'The gulls sit on the harbour wall and wait for the boats. ';

/** A text whose chunks all differ. */
const COUNTED = Array.from(
  { length: 40 },
  (_, n) => `On day ${n} some ${n * 7} gulls sat on the harbour wall.`,
).join(' ');

describe('the context of chunks', () => {
  let embeddings: Awaited<ReturnType<typeof startFakeEmbeddings>>;
  let service: Service;
  let documents: Documents;
  let sent: string[];
  const environment = (): Record<string, string> => ({
    EMBEDDING_MODEL: 'openai/fake',
    EMBEDDING_API_BASE: embeddings.url,
    EMBEDDING_DIMENSIONS: '384',
    CHUNK_SIZE: '80',
    CHUNK_OVERLAP: '0',
  });

  beforeAll(async () => {
    sent = [];
    embeddings = await startFakeEmbeddings({
      answer: ({ body }) => {
        sent.push(...[(body as { input: string | string[] }).input].flat());
        return undefined;
      },
    });
    service = await Service.start(environment());
    documents = new Documents(() => service.client);
  });
  afterAll(async () => {
    await service.stop();
    await embeddings.close();
  });
  beforeEach(() => {
    sent = [];
  });

  const updateText = async (id: string, body: object, strategy = 'add'): Promise<DocumentRecord> => {
    const answer = await service.client.post(
      `/documents/${id}/update_text?update_strategy=${strategy}`,
      body,
    );
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.json() as DocumentRecord;
  };
  /** Returns the texts embedded since the last call, without questions. */
  const embedded = (): string[] => sent.splice(0).filter((text) => text !== 'anything');

  it('is embedded but not returned: title and headings', async () => {
    const text = `# Harbour handbook\n\n${SENTENCE.repeat(8)}\n\n## Gulls\n\n${SENTENCE.repeat(8)}`;
    const { external_id: id } = await documents.ingestFile('a.md', Buffer.from(text));
    const texts = embedded();
    expect(texts.at(0)).toMatch(/^# Harbour handbook\n\nThe gulls/);
    expect(texts.at(-1)).toMatch(/^Harbour handbook\n## Gulls\n\nThe gulls/);
    const chunks = await documents.chunks(id);
    expect(textOf(chunks)).toBe(text);
    for (const { content } of chunks.slice(1)) expect(content).not.toContain('Harbour handbook');
  });

  it('includes the column names in each chunk of a table', async () => {
    const rows = Array.from(
      { length: 80 },
      (_, n) => `Port ${n},${n * 7},${n % 2 === 0 ? 'open' : 'closed'}`,
    );
    await documents.ingestFile('ships-by-port.csv', Buffer.from(['Port,Ships,State', ...rows].join('\n')));
    const texts = embedded();
    expect(texts.length).toBeGreaterThan(10);
    for (const text of texts) {
      expect(text).toMatch(/^ships by port\n/);
      expect(text).toMatch(/Port \| Ships \| State/);
      for (const line of text.split('\n').filter((part) => part.startsWith('| Port '))) {
        expect(line).toMatch(/^\| Port (?:\d+ \| \d+ \| (?:open|closed) \||\| Ships \| State(?: \|)?)$/);
      }
    }
  });

  it('includes the column names in answers from any chunk of a table, without caption and empty cells', async () => {
    const rows = Array.from(
      { length: 60 },
      (_, n) => `<tr><td>Quay ${n}</td><td>${n + 100}</td><td>${n + 400}</td></tr>`,
    );
    const header = '<tr><th></th><th>Summer</th><th>Winter</th></tr>';
    const table = `<table><caption>Ferries by season</caption>${header}${rows.join('')}</table>`;
    await documents.ingestFile('quays.html', Buffer.from(`<h1>Quays</h1>${table}`));
    expect(embedded().at(-1)).toMatch(/^quays\n\| Ferries by season\n\| {2}\| Summer \| Winter\n\n\| Quay/i);
    const asked = { query: 'How many ferries came to Quay 57 in winter?' };
    const { completion } = (await service.client.post('/query', asked)).json() as { completion: string };
    expect(completion).toContain('Quay 57; Summer: 157; Winter: 457');
  });

  const numbered = (line: (n: number) => string): string =>
    Array.from({ length: 60 }, (_, n) => line(n)).join('\n');

  it.each([
    [
      'without pipes around its rows',
      'piers.md',
      `Pier | Depth (m) | Berths\n--- | --- | ---\n${numbered((n) => `Pier ${n} | ${n + 100} | ${n + 400}`)}`,
      'What are the depth and the berths of Pier 57 and Pier 58?',
      'Pier: Pier 57; Depth (m): 157; Berths: 457',
    ],
    [
      'whose header is longer than a context',
      'wharves.csv',
      `Wharf,${Array.from({ length: 8 }, (_, n) => `Number of sacks unloaded in month ${n}`).join(',')}\n${numbered(
        (n) => `Wharf ${n},${Array.from({ length: 8 }, (_, month) => n * 100 + month).join(',')}`,
      )}`,
      'How many sacks were unloaded at Wharf 57 in month 7?',
      'Number of sacks unloaded in month 7: 5707',
    ],
    [
      'without lines',
      'docks.txt',
      `Takings of all docks\n\n(in crowns)  2022  2021\n${numbered((n) => `Dock ${n}  $  ${n + 1000} $  ${n + 4000}`)}`,
      'What were the takings of Dock 57 in 2021?',
      'Dock 57; 2022: $1057; 2021: $4057',
    ],
  ])('answers from a later chunk of a table %s', async (_, filename, text, query, expected) => {
    const { external_id } = await documents.ingestFile(filename, Buffer.from(text));
    await service.client.post(`/documents/${external_id}/update_metadata`, { metadata: { of: filename } });
    const asked = { query, filters: { of: filename } };
    const { completion } = (await service.client.post('/query', asked)).json() as { completion: string };
    expect(completion).toContain(expected);
  });

  it('embeds at most three texts for an append of 1 KB, with the current heading', async () => {
    const text = `# Harbour handbook\n\n## Gulls\n\n${SENTENCE.repeat(100)}`;
    const { external_id: id } = await documents.ingestFile('b.md', Buffer.from(text));
    embedded();
    await updateText(id, { content: SENTENCE.repeat(2) });
    const texts = embedded();
    expect(texts.length).toBeLessThanOrEqual(3);
    for (const one of texts) expect(one).toMatch(/^Harbour handbook\n## Gulls\n\n/);
  });

  it('keeps the file name of earlier chunks; an append under another name uses its own', async () => {
    const text = COUNTED;
    const { external_id: id } = await documents.ingestText(text, {
      filename: 'old_name.txt',
      metadata: { a: 1 },
    });
    expect(embedded().every((one) => one.startsWith('old name\n\n'))).toBe(true);
    const before = await documents.chunks(id);
    const added = 'Terns come in May.';
    const record = await updateText(id, { content: added, filename: 'new_name.txt' });
    const texts = embedded();
    expect(texts.length).toBeLessThanOrEqual(2);
    expect(record.chunk_ids.length).toBeGreaterThan(4);
    expect(texts.every((one) => one.startsWith('new name\n\n'))).toBe(true);
    const after = await documents.chunks(id);
    expect(textOf(after)).toBe(`${text}\n\n${added}`);
    expect(after.slice(0, -1).map(({ content, metadata }) => [content, metadata])).toEqual(
      before.slice(0, after.length - 1).map(({ content, metadata }) => [content, metadata]),
    );
    await updateText(id, { content: 'And leave in August.', filename: 'new_name.txt' });
    expect(embedded().length).toBe(1);
    await updateText(id, { content: text }, 'replace');
    expect(embedded().every((one) => one.startsWith('new name\n\n'))).toBe(true);
  });

  it('has the name and the title', async () => {
    const text = `Harbour handbook\n\n${COUNTED}`;
    const { external_id: id } = await documents.ingestText(text, { filename: 'old_name.txt' });
    const [first, ...others] = embedded();
    expect(first).toMatch(/^old name\n\nHarbour handbook\n\n/);
    expect(others.every((one) => one.startsWith('old name / Harbour handbook\n\n'))).toBe(true);
    await updateText(id, { content: 'Terns come in May.', filename: 'new_name.txt' });
    expect(embedded().every((one) => one.startsWith('new name / Harbour handbook\n\n'))).toBe(true);
  });

  it('comes from the appended file for its chunks', async () => {
    const text = COUNTED;
    const { external_id: id } = await documents.ingestFile('first.txt', Buffer.from(text));
    const before = await documents.chunks(id);
    embedded();
    const form = new FormData();
    form.append('file', new Blob(['## Appendix\n\nTerns come in May.']), 'second_part.md');
    await service.client.post(`/documents/${id}/update_file`, form);
    const record = await until('the document has a second version', async () => {
      const present = await documents.get(id);
      return present.system_metadata.version >= 2 && present;
    });
    const texts = embedded();
    expect(texts.length).toBe(record.chunk_ids.length - before.length);
    expect(texts.every((one) => one.startsWith('second part\n'))).toBe(true);
    const after = await documents.chunks(id);
    expect(textOf(after)).toBe(`${text}\n\n## Appendix\n\nTerns come in May.`);
    expect(after.slice(0, before.length).map(({ content }) => content)).toEqual(
      before.map(({ content }) => content),
    );
  });

  it('keeps vectors of unchanged chunks, and re-embeds chunks whose context changed', async () => {
    const text = COUNTED;
    const { external_id: id } = await documents.ingestText(text, { filename: 'harbour.txt' });
    const count = embedded().length;
    await updateText(id, { content: text }, 'replace');
    expect(embedded()).toEqual([]);
    await updateText(id, { content: text, filename: 'quay.txt' }, 'replace');
    expect(embedded().length).toBe(count);
  });

  it('can be disabled; stored chunks are not changed', async () => {
    const text = SENTENCE.repeat(20).trim();
    const { external_id: id } = await documents.ingestText(text, { filename: 'pier.txt' });
    await service.terminate();
    await service.restart({ CHUNK_CONTEXT: 'off' });
    embedded();
    expect(textOf(await documents.chunks(id))).toBe(text);
    await updateText(id, { content: 'Terns come in May.', filename: 'renamed.txt' });
    const texts = embedded().filter((one) => one.includes('Terns'));
    expect(texts.length).toBe(1);
    expect(texts[0]).toMatch(/^The gulls/);
    await service.terminate();
    await service.restart();
  });
});
