import type { ServiceConnection } from '../connection/service-connection.js';
import { Drafting } from './draft.js';
import { EvaluationClient } from './evaluation-client.js';

const IDS = Array.from({ length: 2_500 }, (_, index) => `document-${index}`);

interface Asked {
  readonly skip?: number;
  readonly limit?: number;
  readonly filters?: { readonly external_id: string };
}

/** A service whose every document has one passage; its model fails at the fourth. */
function service(): ServiceConnection {
  let completions = 0;
  const answers = {
    '/documents': ({ skip = 0, limit = 100 }: Asked) => ({
      documents: IDS.slice(skip, skip + limit).map((id) => ({
        external_id: id,
        filename: null,
        metadata: {},
      })),
      next_skip: skip + limit < IDS.length ? skip + limit : null,
    }),
    '/retrieve/chunks': ({ filters }: Asked) => [
      { document_id: filters?.external_id, chunk_number: 0, content: 'text', filename: null, metadata: {} },
    ],
    '/query': ({ filters }: Asked) => {
      completions += 1;
      if (completions > 3) throw new Error('gone');
      return { completion: { question: `What of ${filters?.external_id ?? ''}?`, answer: '', quote: '' } };
    },
  };
  return {
    send: () => Promise.resolve({ body: { default_models: { chat: 'model' } }, ms: 1 }),
    post: (path: keyof typeof answers, body: Asked) =>
      Promise.resolve().then(() => ({ body: answers[path](body), ms: 1 })),
  } as unknown as ServiceConnection;
}

async function drafted(count: number) {
  const lines: string[] = [];
  const connection = service();
  const drafting = new Drafting(connection, new EvaluationClient(connection));
  const onQuestion = (line: string): Promise<void> => Promise.resolve(void lines.push(line));
  const error = await drafting
    .write(count, onQuestion, () => undefined)
    .then(
      () => null,
      (reason: unknown) => (reason as Error).message,
    );
  return { documents: lines.map((line) => (JSON.parse(line) as { document: string }).document), error };
}

describe('a draft', () => {
  it('asks about documents at equal distances among all', async () => {
    expect(await drafted(2)).toEqual({ documents: ['document-625', 'document-1875'], error: null });
  });

  it('hands each question over before the next one is made', async () => {
    const { documents, error } = await drafted(4);
    expect([documents.length, error]).toEqual([3, 'gone']);
  });
});
