import { readFileSync } from 'node:fs';
import { Documents, type DocumentRecord } from '../../support/documents.js';
import { Service } from '../../support/service.js';

const PDF = readFileSync('test/fixtures/documents/report.pdf');

interface Link {
  readonly download_url: string;
  readonly filename: string;
  readonly content_type: string;
}

interface Delivered {
  readonly status: number;
  readonly type: string | null;
  readonly disposition: string | null;
  readonly body: string;
}

async function delivered(response: Response): Promise<Delivered> {
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    disposition: response.headers.get('content-disposition'),
    body: await response.text(),
  };
}

let service: Service;
const documents = new Documents(() => service.client);
const fileOf = async (id: string, headers: Record<string, string> = {}): Promise<Delivered> =>
  delivered(await service.client.fetch('GET', `/documents/${id}/file`, { headers }));
const linkTo = async (id: string): Promise<Link> =>
  (await service.client.get(`/documents/${id}/download_url`)).json() as Link;
const upload = (name: string, bytes: Uint8Array | string, type?: string): FormData => {
  const form = new FormData();
  form.append('file', new Blob([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)], { type }), name);
  return form;
};

describe('the file of a document', () => {
  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.stop());

  const updateText = async (id: string, strategy: string, more: object): Promise<DocumentRecord> => {
    const answer = await service.client.post(
      `/documents/${id}/update_text?update_strategy=${strategy}`,
      more,
    );
    expect(answer.status).toBe(200);
    return answer.json() as DocumentRecord;
  };
  const updateFile = async (id: string, strategy: string, name: string, bytes: Uint8Array | string) => {
    const form = upload(name, bytes);
    form.append('update_strategy', strategy);
    expect((await service.client.post(`/documents/${id}/update_file`, form)).status).toBe(200);
    return documents.settled(id);
  };

  it('is the text after a text update replaced it, by link too, and the source stays listed', async () => {
    const { external_id: id } = await documents.ingestFile('salaries.pdf', PDF);
    const before = await linkTo(id);
    expect((await fetch(before.download_url)).headers.get('content-type')).toBe('application/pdf');
    const record = await updateText(id, 'replace', { content: 'Salaries: [redacted] — 渡船' });
    expect(record).toMatchObject({
      filename: 'salaries.pdf',
      content_type: 'text/plain',
      storage_info: { filename: 'salaries.txt', content_type: 'text/plain' },
      storage_files: [{ version: 1, filename: 'salaries.pdf' }],
    });
    expect(record.storage_files).toHaveLength(1);
    const file = {
      status: 200,
      type: 'text/plain; charset=utf-8',
      disposition: 'inline; filename=salaries.txt',
      body: 'Salaries: [redacted] — 渡船',
    };
    expect(await fileOf(id)).toEqual(file);
    const link = await linkTo(id);
    expect(link).toMatchObject({ filename: 'salaries.txt', content_type: 'text/plain' });
    expect(await delivered(await fetch(link.download_url))).toEqual(file);

    const old = await delivered(await fetch(before.download_url));
    expect([old.status, JSON.parse(old.body)]).toEqual([404, { detail: 'The file does not exist' }]);
  });

  it.each([
    ['notes.md', 'notes.md', 'text/markdown'],
    ['observations.csv', 'observations.csv', 'text/plain'],
    ['minutes.docx', 'minutes.txt', 'text/plain'],
    ['tides.py', 'tides.py', 'text/plain'],
  ])('that was %s is named %s and has type %s after a text replaced it', async (name, filename, type) => {
    const { external_id: id } = await documents.ingestFile(
      name,
      readFileSync(`test/fixtures/documents/${name}`),
    );
    await updateText(id, 'replace', { content: 'Another text.' });
    expect(await linkTo(id)).toMatchObject({ filename, content_type: type });
    expect((await fileOf(id)).body).toBe('Another text.');
    await updateText(id, 'replace', { content: 'A third one.', filename: 'third.md' });
    expect(await linkTo(id)).toMatchObject({ filename: 'third.md', content_type: 'text/markdown' });
  });

  it('includes text appended after a replacement', async () => {
    const { external_id: id } = await documents.ingestText('Ann earns 9,000.', { filename: 'pay.txt' });
    await updateText(id, 'replace', { content: 'Nobody earns anything.' });
    await updateText(id, 'add', { content: 'So it is.' });
    expect((await fileOf(id)).body).toBe('Nobody earns anything.\n\nSo it is.');
  });

  it('is the full text after an append, also by range', async () => {
    const { external_id: id } = await documents.ingestText('Größe eins.', { filename: 'sizes.txt' });
    const before = await linkTo(id);
    await updateText(id, 'add', { content: 'Größe zwei.' });
    await updateText(id, 'add', { content: 'Größe drei.' });
    const whole = 'Größe eins.\n\nGröße zwei.\n\nGröße drei.';
    const bytes = Buffer.from(whole);
    expect((await fileOf(id)).body).toBe(whole);
    expect((await fetch(before.download_url)).status).toBe(404);
    for (const [start, end] of [
      [0, 0],
      [0, bytes.length - 1],
      [5, 30],
      [13, 14],
      [14, 20],
      [30, bytes.length - 1],
    ] as const) {
      const response = await service.client.fetch('GET', `/documents/${id}/file`, {
        headers: { range: `bytes=${start}-${end}` },
      });
      expect([response.status, Buffer.from(await response.arrayBuffer())]).toEqual([
        206,
        bytes.subarray(start, end + 1),
      ]);
    }
    const head = await service.client.fetch('HEAD', `/documents/${id}/file`);
    expect(head.headers.get('content-length')).toBe(String(bytes.length));
    const etag = head.headers.get('etag') ?? '';
    expect((await fileOf(id, { 'if-none-match': etag })).status).toBe(304);
    await updateText(id, 'add', { content: 'Größe vier.' });
    expect((await fileOf(id, { 'if-none-match': etag })).status).toBe(200);
  });

  it('stays the source after a text was appended to a PDF', async () => {
    const { external_id: id } = await documents.ingestFile('a.pdf', PDF);
    const link = await linkTo(id);
    const record = await updateText(id, 'add', { content: 'An afterthought.' });
    expect(record).toMatchObject({ content_type: 'application/pdf', storage_info: { filename: 'a.pdf' } });
    const response = await fetch(link.download_url);
    expect(Buffer.from(await response.arrayBuffer()).equals(PDF)).toBe(true);
  });

  it('is the latest file after a file update, and unchanged by metadata updates', async () => {
    const { external_id: id } = await documents.ingestText('First.', { filename: 'first.txt' });
    await updateText(id, 'replace', { content: 'Second.' });
    await updateFile(id, 'replace', 'third.txt', 'Third.');
    const link = await linkTo(id);
    await service.client.post(`/documents/${id}/update_metadata`, { metadata: { a: 1 } });
    expect((await fileOf(id)).body).toBe('Third.');
    expect((await fetch(link.download_url)).status).toBe(200);
    await updateFile(id, 'add', 'fourth.html', '<!doctype html><p>Fourth.');
    expect(await fileOf(id)).toMatchObject({
      type: 'application/octet-stream',
      disposition: 'attachment; filename=fourth.html',
      body: '<!doctype html><p>Fourth.',
    });
    expect((await fetch(link.download_url)).status).toBe(404);
  });

  it('is deleted with its document, and so are links', async () => {
    const { external_id: id } = await documents.ingestText('First.');
    await updateText(id, 'replace', { content: 'Second.' });
    const { download_url: url } = await linkTo(id);
    expect((await service.client.delete(`/documents/${id}`)).status).toBe(200);
    expect([(await fetch(url)).status, (await fileOf(id)).status]).toEqual([404, 404]);
  });

  it.each(['../../etc/cron.d/notes.txt', '..\\..\\notes.txt'])(
    'of a document %s cannot be downloaded',
    async (name) => {
      const { external_id: id } = await documents.ingestText('Words.', { filename: name });
      expect((await fileOf(id)).disposition).toBe('inline; filename=notes.txt');
    },
  );
});

describe('a file that is not parsed yet', () => {
  const PAGE = '<!doctype html><script>alert(1)</script><p>Words of a page.';
  const PICTURE = readFileSync('test/fixtures/documents/sign.png');
  const UNREAD = {
    status: 200,
    type: 'application/octet-stream',
    disposition: expect.stringMatching(/^attachment; /) as unknown,
  };

  beforeAll(async () => {
    service = await Service.start({ WORKER: 'off' });
  });
  afterAll(() => service.stop());

  it('has no declared type, and then the detected one', async () => {
    const ids: string[] = [];
    for (const [name, bytes, type] of [
      ['page', PAGE, 'application/pdf'],
      ['page.html', PAGE, 'text/html'],
      ['sign.png', PICTURE, 'text/plain'],
    ] as const) {
      const answer = await service.client.post('/ingest/file', upload(name, bytes, type));
      ids.push((answer.json() as DocumentRecord).external_id);
    }
    const links = await Promise.all(ids.map(linkTo));
    for (const [i, id] of ids.entries()) {
      expect(await fileOf(id)).toMatchObject(UNREAD);
      expect(links[i]?.content_type).toBe('application/octet-stream');
      expect(await delivered(await fetch(links[i]?.download_url ?? ''))).toMatchObject(UNREAD);
    }

    await service.terminate();
    await service.restart({ WORKER: 'inline' });
    for (const id of ids) await documents.settled(id);
    const read = await Promise.all(
      links.map(async ({ download_url }) => {
        const { pathname, search } = new URL(download_url);
        return delivered(await fetch(`${service.url}${pathname}${search}`));
      }),
    );
    expect(read).toMatchObject([
      { ...UNREAD, body: PAGE },
      { ...UNREAD, body: PAGE },
      { status: 200, type: 'image/png', disposition: 'inline; filename=sign.png' },
    ]);
  });
});
