import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Drafting } from './draft.js';
import { ServiceUnderTest } from './service-under-test.js';

const IDS = Array.from({ length: 2_500 }, (_, index) => `document-${index}`);

interface Asked {
  readonly skip?: number;
  readonly limit?: number;
  readonly filters?: { readonly external_id: string };
}

/** A service with one passage per document. Its model fails at the fourth call. */
function service(): Server {
  let completions = 0;
  const answers: Readonly<Record<string, (asked: Asked) => object | null>> = {
    '/models': () => ({ default_models: { chat: 'model' } }),
    '/documents': ({ skip = 0, limit = 100 }) => ({
      documents: IDS.slice(skip, skip + limit).map((id) => ({
        external_id: id,
        filename: null,
        metadata: {},
      })),
      next_skip: skip + limit < IDS.length ? skip + limit : null,
    }),
    '/retrieve/chunks': ({ filters }) => [
      { document_id: filters?.external_id, chunk_number: 0, content: 'text', filename: null, metadata: {} },
    ],
    '/query': ({ filters }) => {
      completions += 1;
      if (completions > 3) return null;
      return { completion: { question: `What of ${filters?.external_id ?? ''}?`, answer: '', quote: '' } };
    },
  };
  return createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const answer = answers[request.url ?? '']!(text === '' ? {} : (JSON.parse(text) as Asked));
      response.writeHead(answer === null ? 403 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? { detail: 'gone' }));
    });
  });
}

async function drafted(count: number) {
  const server = service().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const address = { url, key: undefined, keyOrigin: 'no key was given' };
  const lines: string[] = [];
  const drafting = new Drafting(new ServiceUnderTest(address, new AbortController().signal));
  const onQuestion = (line: string): Promise<void> => Promise.resolve(void lines.push(line));
  const error = await drafting
    .write(count, onQuestion, () => undefined)
    .then(
      () => null,
      (reason: unknown) => (reason as Error).message,
    );
  server.closeAllConnections();
  server.close();
  return { documents: lines.map((line) => (JSON.parse(line) as { document: string }).document), error };
}

describe('a draft', () => {
  it('selects documents at equal distances', async () => {
    expect(await drafted(2)).toEqual({ documents: ['document-625', 'document-1875'], error: null });
  });

  it('yields each question before it drafts the next one', async () => {
    const { documents, error } = await drafted(4);
    expect([documents.length, error]).toEqual([3, '403: gone (no key was given)']);
  });
});
