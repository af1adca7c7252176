import { readFileSync } from 'node:fs';
import { Documents } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';

const fixture = (name: string): Buffer => readFileSync(`test/fixtures/documents/${name}`);
/** The beginning of a program for Windows. */
const PROGRAM = Buffer.concat([Buffer.from('MZ\x90\0\x03\0\0\0\x04\0\0\0', 'latin1'), Buffer.alloc(200)]);

const TYPE = /cannot be read: convert|neither text nor of a supported type|neither Word, Excel/;
const LOCKED = /protected by a password: remove the protection/;
const UNUSABLE: readonly (readonly [name: string, bytes: Buffer, status: number, reason: RegExp])[] = [
  ['x.exe', PROGRAM, 415, TYPE],
  ['noise.bin', fixture('noise.bin'), 415, TYPE],
  ['works.wps', fixture('works.wps'), 415, TYPE],
  ['empty.txt', Buffer.alloc(0), 422, /The file is empty/],
  ['blank.txt', fixture('blank.txt'), 422, /only white space/],
  ['password.pdf', fixture('password.pdf'), 422, LOCKED],
  ['password.docx', fixture('password.docx'), 422, LOCKED],
  ['password.odt', fixture('password.odt'), 422, LOCKED],
  ['flagged-encrypted.xlsx', fixture('flagged-encrypted.xlsx'), 422, LOCKED],
  ['archive.zip', fixture('flagged-encrypted.xlsx'), 422, LOCKED],
];

describe('a file that can never become a document', () => {
  let service: SharedService;
  let documents: Documents;

  const form = (field: string, ...files: (readonly [string, Buffer])[]): FormData => {
    const made = new FormData();
    for (const [name, bytes] of files) made.append(field, new Blob([new Uint8Array(bytes)]), name);
    return made;
  };
  const names = async (): Promise<(string | null)[]> => {
    const { documents: found } = (await service.client.post('/documents', {})).json() as {
      documents: { readonly filename: string | null }[];
    };
    return found.map(({ filename }) => filename);
  };

  beforeAll(async () => {
    service = await SharedService.enter();
    documents = new Documents(() => service.client);
  });
  afterAll(() => service.stop());

  it.each(UNUSABLE)('%s is refused by POST /ingest/file', async (name, bytes, status, reason) => {
    const answer = await service.client.post('/ingest/file', form('file', [name, bytes]));
    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(reason)]);
    const { detail } = answer.json() as { readonly detail: unknown };
    if (status === 422) expect(detail).toMatchObject([{ loc: ['body', 'file'] }]);
    expect(await names()).not.toContain(name);
  });

  it('is named among the errors of POST /ingest/files, and the others are stored', async () => {
    const files = UNUSABLE.map(([name, bytes]) => [name, bytes] as const);
    const answer = await service.client.post(
      '/ingest/files',
      form('files', ['good.txt', Buffer.from('Herons fish at dawn.')], ...files),
    );
    const { documents: stored, errors } = answer.json() as {
      readonly documents: readonly { readonly filename: string }[];
      readonly errors: readonly { readonly filename: string; readonly error: string }[];
    };
    expect([answer.status, stored.map(({ filename }) => filename)]).toEqual([200, ['good.txt']]);
    expect(errors).toEqual(
      UNUSABLE.map(([name, , , reason]) => ({
        filename: name,
        error: expect.stringMatching(reason) as string,
      })),
    );
  });

  it('leaves the version of a document that it should replace', async () => {
    const { external_id: id } = await documents.ingestText('Herons fish at dawn.');
    for (const [name, bytes, status] of UNUSABLE) {
      const answer = await service.client.post(`/documents/${id}/update_file`, form('file', [name, bytes]));
      expect([name, answer.status]).toEqual([name, status]);
    }
    const record = await documents.get(id);
    expect(record.system_metadata).toMatchObject({ status: 'completed', version: 1 });
    expect(record.system_metadata).not.toHaveProperty('error');
  });

  it('is not one that is only damaged or misnamed', async () => {
    const damaged = await documents.ingestFile('cut.pdf', Buffer.from('%PDF-1.7 cut'));
    expect(damaged.system_metadata).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('truncated') as string,
    });
    const lying = await documents.ingestFile('lying.pdf', fixture('lying.pdf'));
    expect(lying.system_metadata.status).toBe('failed');
  });

  it('is kept under /v1/files, whose protocol tells the failure in the vector store', async () => {
    const upload = form('file', ['x.exe', PROGRAM]);
    upload.append('purpose', 'assistants');
    expect((await service.client.post('/v1/files', upload)).status).toBe(200);
  });
});
