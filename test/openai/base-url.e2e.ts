import OpenAI, { type APIError, NotFoundError, toFile } from 'openai';
import { CompletionService } from '../support/completion-service.js';
import type { SharedService } from '../support/shared-service.js';

const QUESTION = 'How many kilograms does the blue device weigh?';
const user = (content: string) => ({ role: 'user', content }) as const;

describe('a path that the OpenAI protocol here does not have', () => {
  let home: CompletionService<SharedService>;
  beforeAll(async () => {
    home = await CompletionService.shared();
  });
  afterAll(() => home.stop());

  it.each(['/v1/engines', '/v1/v1'])(
    'is answered with the supported paths when the base URL ends in "%s"',
    async (path) => {
      const astray = new OpenAI({
        apiKey: home.service.adminKey,
        baseURL: home.service.url + path,
        maxRetries: 0,
      });
      const error = await astray.chat.completions
        .create({ model: 'lectern', messages: [user(QUESTION)] })
        .then(() => undefined)
        .catch((thrown: unknown) => thrown as APIError);
      expect([error?.status, error?.type !== undefined]).toEqual([404, true]);
      expect(error?.message).toContain('/v1/models, /v1/chat/completions');
    },
  );

  it.each<[string, (astray: OpenAI) => Promise<unknown>]>([
    [
      '/chat/completions',
      (astray) => astray.chat.completions.create({ model: 'lectern', messages: [user(QUESTION)] }),
    ],
    ['/responses', (astray) => astray.responses.create({ model: 'lectern', input: QUESTION })],
    ['/responses/resp_1', (astray) => astray.responses.retrieve('resp_1')],
    ['/embeddings', (astray) => astray.embeddings.create({ model: 'lectern', input: 'a' })],
    [
      '/files',
      async (astray) =>
        astray.files.create({ file: await toFile(Buffer.from('a'), 'a.txt'), purpose: 'assistants' }),
    ],
    ['/files/file-1', (astray) => astray.files.retrieve('file-1')],
    ['/vector_stores', async (astray) => astray.vectorStores.list({ limit: 1 })],
    ['/vector_stores/vs_1/search', async (astray) => astray.vectorStores.search('vs_1', { query: 'a' })],
    ['/models/lectern', (astray) => astray.models.retrieve('lectern')],
  ])('is answered with a hint that the base URL must end in /v1: %s', async (path, request) => {
    const { adminKey: apiKey, url: baseURL } = home.service;
    const error = (await request(new OpenAI({ apiKey, baseURL, maxRetries: 0 })).catch(
      (thrown: unknown) => thrown,
    )) as APIError;
    expect(error).toBeInstanceOf(NotFoundError);
    expect([error.code, error.message]).toEqual([
      'unknown_url',
      `404 The base URL of an OpenAI client must end in /v1: the path is /v1${path}`,
    ]);
  });

  it.each(['/v1/uploads', '/v1/completions', '/v1/moderations', '/v1/assistants'])(
    'is answered with 404 and its name: %s',
    async (path) => {
      const answer = await home.service.client.post(path, {});
      expect([answer.status, (answer.json() as { error: { message: string } }).error.message]).toEqual([
        404,
        expect.stringMatching(`^${path} of the OpenAI protocol is not supported`),
      ]);
    },
  );
});
