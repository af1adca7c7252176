import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { Documents, type DocumentRecord } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';

interface OpenApi {
  readonly components: object;
}

describe('`fields` of a listing', () => {
  let service: SharedService;
  let record: DocumentRecord;
  let problemsOf: (answer: unknown) => unknown;
  beforeAll(async () => {
    service = await SharedService.enter();
    const documents = new Documents(() => service.client);
    const added = await documents.ingestText('Herons fish at dawn.', {
      filename: 'herons.txt',
      folder_name: '/birds',
      metadata: { status: 'draft', year: 2025 },
    });
    record = await documents.record(added.external_id);
    problemsOf = listValidator((await service.as(null).get('/openapi.json')).json() as OpenApi);
  });
  afterAll(() => service.stop());

  const list = async (fields: string[] | null, path = '/documents'): Promise<unknown> => {
    const answer = await service.client.post(path, { fields });
    expect(answer.status).toBe(200);
    expect(problemsOf(answer.json())).toBeNull();
    return (answer.json() as { documents: unknown[] }).documents[0];
  };

  it.each([
    [['status'], { system_metadata: { status: 'completed' } }],
    [['system_metadata.status'], { system_metadata: { status: 'completed' } }],
    [
      ['status', 'chunk_count', 'filename'],
      { filename: 'herons.txt', system_metadata: { status: 'completed', chunk_count: 1 } },
    ],
    [['page_count'], { page_count: null }],
    [['content'], { system_metadata: { content: 'Herons fish at dawn.' } }],
    [['metadata.status', 'metadata.year'], { metadata: { status: 'draft', year: 2025 } }],
    [['owner.type', 'access_control.readers'], { owner: { type: 'app' }, access_control: { readers: [] } }],
    [['storage_info.filename', 'nowhere'], { storage_info: { filename: 'herons.txt' } }],
    [[], {}],
  ])('%j returns these fields and the id', async (fields, expected) => {
    for (const path of ['/documents', '/documents/list_docs'])
      expect(await list(fields, path)).toEqual({ external_id: record.external_id, ...expected });
  });

  it('unset returns the whole record', async () => {
    expect(await list(null)).toEqual(record);
  });
});

/** Returns a validator: the errors of a response against its published schema, or null. */
function listValidator({ components }: OpenApi): (answer: unknown) => unknown {
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  const validate = ajv.compile({ components, $ref: '#/components/schemas/DocumentListDto' });
  return (answer) => (validate(answer) ? null : validate.errors);
}
