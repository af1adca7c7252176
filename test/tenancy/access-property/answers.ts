import type { Client } from '../../support/client.js';

type Named = Readonly<Record<string, unknown>>;

const QUERY = { query: 'Which lamp is lit by the keeper at dusk?', k: 50 };

const post = async (client: Client, path: string, body: object): Promise<unknown> => {
  const answer = await client.post(path, body);
  if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`);
  return answer.json();
};
const get = async (client: Client, path: string): Promise<unknown> => {
  const answer = await client.get(path);
  if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`);
  return answer.json();
};

const ID = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g;

/** Members of objects without ids, which differ between tenants, in an order that does not. */
function only(objects: unknown, ...names: readonly string[]): string[] {
  return (objects as Named[])
    .map((one) => JSON.stringify(names.map((name) => one[name])).replaceAll(ID, 'id'))
    .sort();
}

/** What searches answer, with every digit of the scores; a browser's token may ask this too. */
export async function searches(client: Client): Promise<Record<string, unknown>> {
  const chunk = ['filename', 'chunk_number', 'content', 'score', 'score_parts', 'metadata'];
  const retrieved = await post(client, '/retrieve/chunks', { ...QUERY, min_score: 0, explain: true });
  const few = (await post(client, '/retrieve/chunks', { ...QUERY, k: 3, min_score: 0.4 })) as Named[];
  const grouped = (await post(client, '/retrieve/chunks/grouped', QUERY)) as Named;
  const documents = (await post(client, '/retrieve/docs', QUERY)) as Named[];
  const answered = (await post(client, '/query', QUERY)) as { completion: string; sources: Named[] };
  return {
    'POST /retrieve/chunks': only(retrieved, ...chunk),
    'POST /retrieve/chunks of the best': few.map(({ score }) => score),
    'POST /retrieve/chunks/grouped': [grouped['total_results'], only(grouped['chunks'], 'filename', 'score')],
    'POST /retrieve/docs': only(documents, 'metadata', 'score'),
    'POST /query': [answered.completion, only(answered.sources, 'filename', 'score', 'excerpt')],
  };
}

/** What listings and counts answer. */
export async function listings(client: Client): Promise<Record<string, unknown>> {
  const fields = [
    'filename',
    'folder_path',
    'metadata',
    'access_control',
    'end_user_id',
    'system_metadata.status',
  ];
  const listed = (await post(client, '/documents', {
    limit: 1_000,
    fields,
    include_total_count: true,
    include_status_counts: true,
    include_folder_counts: true,
  })) as Named;
  const record = ['filename', 'folder_path', 'metadata', 'access_control', 'end_user_id'];
  const search = { query: 'lamp', limit: 100 };
  const details = (await post(client, '/folders/details', {
    include_documents: true,
    document_limit: 100,
    include_document_count: true,
    include_status_counts: true,
  })) as { folders: { folder: Named; document_info: Named & { documents: Named[] } }[] };
  const stores = (await get(client, '/v1/vector_stores?limit=100')) as { data: Named[] };
  const files = (await get(client, '/v1/files?limit=1000')) as { data: Named[] };
  const storage = (await get(client, '/usage/app-storage')) as Named;
  const suggested = (await get(client, '/suggestions?limit=20')) as { questions: string[] };
  return {
    'POST /documents': [
      only(listed['documents'], ...record),
      listed['total_count'],
      listed['status_counts'],
      only(listed['folder_counts'], 'folder', 'count'),
    ],
    'POST /search/documents': only(await post(client, '/search/documents', search), ...record),
    'GET /folders': only(
      await get(client, '/folders'),
      'full_path',
      'depth',
      'child_count',
      'access_control',
    ),
    'GET /folders/summary': only(await get(client, '/folders/summary'), 'full_path', 'doc_count'),
    'POST /folders/details': details.folders
      .map(({ folder, document_info: info }) =>
        JSON.stringify([
          folder['full_path'],
          info['document_count'],
          info['status_counts'],
          only(info.documents, 'filename'),
        ]),
      )
      .sort(),
    'GET /v1/vector_stores': only(stores.data, 'name', 'file_counts', 'usage_bytes'),
    'GET /v1/files': files.data.length,
    'GET /usage/app-storage': { ...storage, app_id: null },
    'GET /suggestions': suggested.questions.sort(),
  };
}
