import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Answer, Client } from '../support/client.js';
import { Documents, type DocumentRecord } from '../support/documents.js';
import { reasonsOfReading } from '../support/reading-posts.js';
import { SharedService } from '../support/shared-service.js';

interface Described {
  readonly 'x-idempotency-key'?: 'kept' | 'own' | 'secret';
  readonly parameters?: readonly { readonly name: string }[];
}

const READS = 'changes nothing';
const OPEN = 'has no caller whose keys could be kept apart from those of others';
const SECRET = 'refuses a key: its answer has a secret, which is not stored';

/** Routes that are no GET and keep no answer. */
const NOT_KEPT: Readonly<Record<string, string>> = {
  ...reasonsOfReading(READS),
  'POST /v1/embeddings': READS,
  'POST /answers/{answer_id}/stop': 'ends an answer once, however often it is sent',
  'POST /mcp': 'carries several calls, whose ids are those of JSON-RPC',
  'POST /keys': SECRET,
  'POST /keys/{id}/sign_in_link': SECRET,
  'POST /keys/{id}/token': SECRET,
  'POST /devices/link': SECRET,
  'POST /cloud/generate_uri': SECRET,
  'POST /apps/rotate_token': SECRET,
  'POST /people': SECRET,
  'POST /webhooks': SECRET,
  'POST /webhooks/{webhook_id}/rotate_secret': SECRET,
  'POST /keys/invitation': OPEN,
  'POST /keys/sign_in': OPEN,
  'POST /local/generate_uri': OPEN,
  'POST /session': OPEN,
  'DELETE /session': OPEN,
};

describe('Idempotency-Key', () => {
  let service: SharedService;
  let client: Client;
  let documents: Documents;

  const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });
  const wasReplayed = (answer: Answer): boolean => answer.headers.get('idempotency-replayed') === 'true';
  const idOf = (answer: Answer): string => (answer.json() as DocumentRecord).external_id;
  const formOf = (text: string): FormData => {
    const form = new FormData();
    form.append('file', new Blob([text]), 'heron.txt');
    return form;
  };
  const keyOf = async (person: string): Promise<Client> => {
    const body = { name: person, scopes: ['read', 'query', 'write'], end_user_id: person };
    return service.as(((await client.post('/keys', body)).json() as { key: string }).key);
  };

  beforeAll(async () => {
    service = await SharedService.enter();
    client = service.client;
    documents = new Documents(() => client);
  });
  afterAll(() => service.stop());

  it('is taken by every route that writes, or there is a reason', () => {
    const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
    };
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path}`,
        takes:
          ['kept', 'own'].includes(operation['x-idempotency-key'] ?? '') &&
          operation.parameters?.some(({ name }) => name === 'Idempotency-Key') === true,
        isSecret: operation['x-idempotency-key'] === 'secret',
      })),
    );
    const others = operations.filter(({ name, takes }) => !takes && !name.startsWith('GET '));
    expect(others.map(({ name }) => name).sort()).toEqual(Object.keys(NOT_KEPT).sort());
    for (const { name, isSecret } of others)
      expect([name, isSecret]).toEqual([name, NOT_KEPT[name] === SECRET]);
  });

  it('makes a repeated request a repeated answer, for texts, files, folders and the protocol of OpenAI', async () => {
    const purpose = (form: FormData): FormData => {
      form.append('purpose', 'assistants');
      return form;
    };
    const calls: readonly (readonly [string, string, () => unknown])[] = [
      ['POST', '/ingest/text', () => ({ content: 'Herons fish at dawn.' })],
      ['POST', '/ingest/file', () => formOf('Herons fish at dawn.')],
      ['POST', '/folders', () => ({ name: 'birds' })],
      ['POST', '/v1/files', () => purpose(formOf('Herons fish.'))],
      ['POST', '/v1/vector_stores', () => ({ name: 'birds' })],
    ];
    for (const [method, path, body] of calls) {
      const options = { ...keyed(randomUUID()) };
      const first = await client.call(method, path, { ...options, body: body() });
      const second = await client.call(method, path, { ...options, body: body() });
      expect([path, first.status, wasReplayed(first)]).toEqual([path, 200, false]);
      expect([path, second.status, wasReplayed(second), second.text]).toEqual([path, 200, true, first.text]);
      const other = await client.call(method, path, { ...keyed(randomUUID()), body: body() });
      expect(wasReplayed(other)).toBe(false);
    }
  });

  it('repeats the answer of a deletion, and records it once', async () => {
    const { external_id: id } = await documents.ingestText('Herons fish at dawn.');
    const key = keyed(randomUUID());
    const answers = [
      await client.delete(`/documents/${id}`, key),
      await client.delete(`/documents/${id}`, key),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers.map(wasReplayed)).toEqual([false, true]);
    const { entries } = (await client.get('/audit?limit=100')).json() as {
      readonly entries: readonly { readonly action: string; readonly subject: string | null }[];
    };
    expect(
      entries.filter(({ action, subject }) => action === 'document.delete' && subject === id),
    ).toHaveLength(1);
  });

  it('is a 422 with another body, another file or another address', async () => {
    const [one, two] = [randomUUID(), randomUUID()];
    await client.post('/ingest/text', { content: 'Herons.' }, keyed(one));
    await client.post('/ingest/file', formOf('Herons.'), keyed(two));
    const answers = [
      await client.post('/ingest/text', { content: 'Terns.' }, keyed(one)),
      await client.post('/folders', { name: 'herons' }, keyed(one)),
      await client.post('/ingest/file', formOf('Terns.'), keyed(two)),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.json()]).toEqual([
        422,
        {
          detail: [
            {
              loc: ['header', 'idempotency-key'],
              msg: 'Value error, this key was used with another request',
              type: 'value_error',
            },
          ],
        },
      ]);
    }
  });

  it('lets one of many requests at the same time through', async () => {
    const key = keyed(randomUUID());
    const name = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => client.post('/ingest/text', { content: name }, key)),
    );
    const fresh = answers.filter((answer) => answer.status === 200 && !wasReplayed(answer));
    expect(fresh).toHaveLength(1);
    for (const answer of answers) {
      if (answer.status === 200) expect(idOf(answer)).toBe(idOf(fresh[0] as Answer));
      else expect([answer.status, answer.headers.get('retry-after')]).toEqual([409, '1']);
    }
  });

  it('does not keep a request that was refused', async () => {
    const key = keyed(randomUUID());
    expect((await client.post('/ingest/text', { content: '' }, key)).status).toBe(422);
    const corrected = await client.post('/ingest/text', { content: 'Herons.' }, key);
    expect([corrected.status, wasReplayed(corrected)]).toEqual([200, false]);
  });

  it('is of one caller and one person', async () => {
    const [ann, bob] = [await keyOf('ann'), await keyOf('bob')];
    const key = keyed(randomUUID());
    const body = { content: 'Herons.' };
    const first = [await ann.post('/ingest/text', body, key), await bob.post('/ingest/text', body, key)];
    const as = (person: string) => client.post('/ingest/text', { ...body, end_user_id: person }, key);
    first.push(await as('ann'), await as('bob'));
    expect(first.map(wasReplayed)).toEqual([false, false, false, false]);
    expect(new Set(first.map(idOf)).size).toBe(4);
  });

  it('is of the person of a token also with the next token, and of one token without a person', async () => {
    const made = await client.post('/keys', { name: 'site', scopes: ['read', 'write'] });
    const { id } = made.json() as { id: string };
    const tokenFor = async (body: object): Promise<Client> => {
      const answer = await client.post(`/keys/${id}/token`, { scopes: ['ingest'], ...body });
      return service.as((answer.json() as { token: string }).token);
    };
    const key = keyed(randomUUID());
    const wereReplayed = async (...bodies: object[]): Promise<boolean[]> => {
      const answers: boolean[] = [];
      for (const body of bodies) {
        const answer = await (await tokenFor(body)).post('/ingest/file', formOf('Herons.'), key);
        expect(answer.status).toBe(200);
        answers.push(wasReplayed(answer));
      }
      return answers;
    };
    const [ann, bob] = [{ end_user_id: 'ann' }, { end_user_id: 'bob' }];
    expect(await wereReplayed(ann, ann, bob)).toEqual([false, true, false]);
    expect(await wereReplayed({}, {})).toEqual([false, false]);
  });

  it('does not show a document that the caller may no longer read', async () => {
    const ann = await keyOf('ann');
    const { external_id: id } = await documents.ingestText('The lighthouse of Skerrow is painted ochre.');
    const key = keyed(randomUUID());
    const ask = () =>
      ann.post('/query', { query: 'Which colour is the lighthouse of Skerrow painted?' }, key);
    const answer = await ask();
    expect([answer.status, answer.text.includes(id)]).toEqual([200, true]);
    expect(wasReplayed(await ask())).toBe(true);
    await client.call('PATCH', `/documents/${id}`, { body: { end_user_id: 'bob' } });
    const after = await ask();
    expect([after.status, after.json()]).toEqual([404, { detail: 'Document not found' }]);
  });

  it('is refused for a stream and for an answer with a secret, and ignored for a stream under /v1', async () => {
    const key = keyed(randomUUID());
    const stream = await client.post('/query', { query: 'Herons?', stream_response: true }, key);
    expect([stream.status, stream.text]).toEqual([422, expect.stringContaining('a stream is not kept')]);
    const secret = await client.post('/keys', { name: 'k', scopes: ['read'] }, key);
    expect([secret.status, secret.text]).toEqual([422, expect.stringContaining('has a secret')]);
    const protocol = { model: 'lectern', messages: [{ role: 'user', content: 'Herons?' }], stream: true };
    for (const _ of [1, 2]) {
      const answer = await client.post('/v1/chat/completions', protocol, key);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        200,
        expect.stringMatching(/^text\/event-stream/),
      ]);
    }
  });

  it('is 1 to 255 visible characters', async () => {
    const answer = await client.post('/folders', { name: 'x' }, keyed('k'.repeat(256)));
    expect([answer.status, answer.json()]).toMatchObject([
      422,
      { detail: [{ loc: ['header', 'idempotency-key'] }] },
    ]);
  });
});
