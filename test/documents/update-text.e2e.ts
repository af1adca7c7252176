import { randomUUID } from 'node:crypto';
import { Documents, textOf, type DocumentRecord } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';

const WRITERS = 20;

describe('updating the text of a document', () => {
  let service: SharedService;
  let documents: Documents;
  const update = (id: string, body: object, strategy = 'add', headers: Record<string, string> = {}) =>
    service.client.post(`/documents/${id}/update_text?update_strategy=${strategy}`, body, { headers });

  beforeAll(async () => {
    service = await SharedService.enter();
    documents = new Documents(() => service.client);
  });
  afterAll(() => service.stop());

  it('appends after a blank line, merges metadata and writes history', async () => {
    const { external_id: id } = await documents.ingestText('First words.', { metadata: { a: 1, b: 2 } });
    const answer = await update(id, {
      content: 'Second words.',
      metadata: { b: null, c: 3 },
      filename: 'new.txt',
    });
    const record = answer.json() as DocumentRecord;
    expect(record).toMatchObject({
      filename: 'new.txt',
      metadata: { a: 1, b: null, c: 3 },
      system_metadata: { status: 'completed', version: 2, update_history: [{ version: 2, strategy: 'add' }] },
    });
    expect(await documents.text(id)).toBe('First words.\n\nSecond words.');
    expect(record.chunk_ids).toEqual([`${id}-0`]);
    expect(textOf(await documents.chunks(id))).toBe('First words.\n\nSecond words.');
  });

  it('replaces the whole text', async () => {
    const { external_id: id } = await documents.ingestText('Words about herons. '.repeat(200));
    const record = (await update(id, { content: 'Words about terns.' }, 'replace')).json() as DocumentRecord;
    expect(record.system_metadata).toMatchObject({ version: 2, chunk_count: 1 });
    expect(await documents.text(id)).toBe('Words about terns.');
    expect((await documents.chunks(id)).map(({ content }) => content)).toEqual(['Words about terns.']);
  });

  it(`keeps the contents of ${WRITERS} adds at once, in versions 2 to ${WRITERS + 1}`, async () => {
    const { external_id: id } = await documents.ingestText('The visitors’ book.');
    const contents = Array.from(
      { length: WRITERS },
      (_, n) => `Visitor ${n} was here and saw ${n * 7} seals.`,
    );
    const answers = await Promise.all(contents.map((content) => update(id, { content })));
    const versions = answers.map((answer) => (answer.json() as DocumentRecord).system_metadata.version);
    expect(versions.sort((a, b) => a - b)).toEqual(contents.map((_, n) => n + 2));
    const text = await documents.text(id);
    const covered = textOf(await documents.chunks(id));
    expect(covered).toBe(text);
    for (const content of contents) expect(text).toContain(content);
  });

  it('returns the first response for a repeated Idempotency-Key, and rejects it with another body', async () => {
    const { external_id: id } = await documents.ingestText('Counted once.');
    const headers = { 'Idempotency-Key': randomUUID() };
    const [first, second] = await Promise.all([
      update(id, { content: 'Again.' }, 'add', headers),
      update(id, { content: 'Again.' }, 'add', headers),
    ]);
    expect(first.json()).toEqual(second.json());
    expect((await update(id, { content: 'Other.' }, 'add', headers)).status).toBe(409);
    expect(await documents.text(id)).toBe('Counted once.\n\nAgain.');
  });
});
