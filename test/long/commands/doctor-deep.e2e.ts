import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readSettings } from '../../../src/config/read-settings.js';
import { openDatabase } from '../../../src/database/open-database.js';
import { Documents } from '../../support/documents.js';
import { numberedPdf } from '../../support/minimal-pdf.js';
import { ServiceProcess, type Ended } from '../../support/process.js';
import { onServer } from '../../support/server-database.js';
import { Service } from '../../support/service.js';
import { until } from '../../support/until.js';

interface Report {
  readonly sound: boolean;
  readonly checks: readonly {
    readonly name: string;
    readonly count: number;
    readonly examples: readonly string[];
    readonly failure: string | null;
  }[];
}

const LONG = Array.from(
  { length: 60 },
  (_, n) => `Sentence ${n} tells of the harbour and its buoy ${n}.`,
).join(' ');

describe('lectern doctor --deep', () => {
  let service: Service;
  let documents: Documents;
  /** Ids of documents by the damage that they get. */
  const ids: Record<string, string> = {};
  const texts = new Map<string, string>();
  let fileKeys: string[];

  beforeAll(async () => {
    service = await Service.start({ CHUNK_SIZE: '64', CHUNK_OVERLAP: '8' });
    documents = new Documents(() => service.client);
    await fill();
    await service.terminate();
  });
  afterAll(() => service.stop());

  const doctor = (...args: string[]): Promise<Ended> =>
    ServiceProcess.spawn(service.environment, 'dist/cli/lectern.js', ['doctor', '--deep', ...args]).end();

  /** Runs the checks. @returns the damages by check */
  const damages = async (...args: string[]): Promise<Record<string, number>> => {
    const { code, output } = await doctor('--json', ...args);
    const { sound, checks } = JSON.parse(output.slice(output.indexOf('{'))) as Report;
    expect(checks.filter(({ failure }) => failure !== null)).toEqual([]);
    const found = Object.fromEntries(
      checks.filter(({ count }) => count > 0).map((one) => [one.name, one.count]),
    );
    expect([code, sound]).toEqual(Object.keys(found).length === 0 ? [0, true] : [1, false]);
    return found;
  };

  /** Runs statements without triggers and foreign keys, as a damaged or half restored database has them. */
  async function damage(statements: readonly (readonly [string, ...unknown[]])[]): Promise<void> {
    const database = await openDatabase(readSettings(service.environment));
    try {
      await database.transaction(async (manager) => {
        await manager.query('set local session_replication_role = replica');
        for (const [statement, ...values] of statements) await manager.query(statement, values);
      });
    } finally {
      await database.destroy();
    }
  }

  async function fill(): Promise<void> {
    const ingest = async (name: string, content: string, more: object = {}): Promise<void> => {
      ids[name] = (await documents.ingestText(content, more)).external_id;
    };
    await ingest('lost row', `The keeper of the lighthouse. ${LONG}`, { metadata: { barrel: 3 } });
    await ingest('lost folder', 'Oil of the port.', { folder_name: '/port/light' });
    await ingest('gap', `Gap. ${LONG}`);
    await ingest('changed chunk', `Changed. ${LONG}`);
    await ingest('length', 'A text with 𝄞 and more.');
    await ingest('count', 'Two words here.');
    await ingest('order', 'Ordered.', { metadata: { year: 1999, tags: ['a', 'b'] } });
    await ingest('no job', 'Nobody works on this.');
    await ingest('no chunks', 'Chunks are gone.');
    await ingest('expired', 'A worker died.');
    await ingest('vector', 'A vector of other dimensions.');
    await service.client.post('/ingest/text', { content: 'Deep', folder_name: '/deep/er' });
    for (const name of ['notes.txt', 'gone.txt']) {
      ids[name] = (await documents.ingestFile(name, Buffer.from(`File ${name} 𝄞. ${LONG}`))).external_id;
    }
    const pdf = { use_colpali: 'true' };
    ids['pdf'] = (await documents.ingestFile('pages.pdf', numberedPdf(2, 'harbour'), pdf)).external_id;
    const key = /:([\w.-]+)@/.exec(
      (await service.client.post('/cloud/generate_uri', { name: 'lost', app_id: 'lost' })).text,
    )?.[1];
    await service.as(key ?? '').post('/ingest/text', { content: 'A tenant without its row.' });
    for (const chat of ['first', 'second']) {
      await service.client.post('/query', { query: 'oil?', chat_id: chat });
    }
    for (const text of ['one', 'two']) {
      await service.client.post('/v1/conversations', {
        items: [{ type: 'message', role: 'user', content: text }],
      });
    }
    const form = new FormData();
    form.append('purpose', 'assistants');
    form.append('file', new Blob(['uploaded bytes']), 'upload.txt');
    const { id: fileId } = (await service.client.post('/v1/files', form)).json() as { id: string };
    const store = (await service.client.post('/v1/vector_stores', { name: 'S', file_ids: [fileId] })).json();
    expect(store).toMatchObject({ object: 'vector_store' });
    await idle();
    for (const id of Object.values(ids)) texts.set(id, await documents.text(id));
    fileKeys = await files();
  }

  /** Waits until no document is being processed. */
  async function idle(): Promise<void> {
    await until('no document is processing', async () => {
      const answer = await service.client.post('/documents', {
        return_documents: false,
        include_status_counts: true,
      });
      const { status_counts: counts } = answer.json() as { status_counts: Record<string, number> };
      return (counts['processing'] ?? 0) === 0;
    });
  }

  async function files(): Promise<string[]> {
    const folder = join(service.dataDir, 'files');
    const found = await readdir(folder, { recursive: true, withFileTypes: true });
    return found
      .filter((one) => one.isFile() && !one.name.startsWith('.'))
      .map((one) => join(one.parentPath, one.name).slice(folder.length + 1));
  }

  async function uploadKey(): Promise<string> {
    const database = await openDatabase(readSettings(service.environment));
    try {
      const [row] = await database.query<{ object_key: string }[]>('select object_key from files');
      return row?.object_key ?? '';
    } finally {
      await database.destroy();
    }
  }

  const path = (key: string): string => join(service.dataDir, 'files', key);

  it('finds nothing in a sound installation, and prints a line for each check', async () => {
    const { code, output } = await doctor();
    expect(output).toMatch(/^ok {4}texts$/m);
    expect(output).toMatch(/\n\d\d checks, no damage$/);
    expect(code).toBe(0);
    expect(await damages('--app', 'default')).toEqual({});
    const unknown = await doctor('--app', 'nobody');
    expect([unknown.code, unknown.output]).toEqual([1, 'There is no tenant "nobody"']);
  });

  it('finds each damage, repairs it, and finds nothing afterwards', async () => {
    const stray = ['default', randomUUID(), randomUUID()].join('/');
    const undeleted = ['default', randomUUID(), randomUUID()].join('/');
    for (const key of [stray, undeleted]) {
      await mkdir(dirname(path(key)), { recursive: true });
      await writeFile(path(key), 'stray');
    }
    const page = fileKeys.find((key) => key.endsWith('.png')) ?? '';
    await rm(path(page));
    const used = fileKeys.find((key) => key.includes(ids['notes.txt'] ?? '')) ?? '';
    const posted = JSON.stringify({ source: { kind: 'posted' }, update: null });
    await damage([
      ['insert into document_summaries values ($1, $2, 1, $3)', 'default', ids['lost row'], 'summary'],
      ['delete from documents where external_id = $1', ids['lost row']],
      [`delete from folders where path in ('/port/light', '/deep')`],
      [`delete from conversations where chat_id = 'first'`],
      [`update conversations set next_position = 7 where chat_id = 'second'`],
      [
        `delete from conversations where conversation_id = (
           select conversation_id from turns where content = 'one')`,
      ],
      [`update conversations set next_position = 0 where kind = 'conversation'`],
      ['delete from chunks where document_id = $1 and chunk_number = 1', ids['gap']],
      [
        `update chunks set content = 'x' || content where document_id = $1 and chunk_number = 2`,
        ids['changed chunk'],
      ],
      ['update documents set text_length = 7 where external_id = $1', ids['length']],
      ['update documents set chunk_count = 9 where external_id = $1', ids['count']],
      ['delete from metadata_order where document_id = $1', ids['order']],
      [`update documents set status = 'processing' where external_id = $1`, ids['no job']],
      ['delete from chunks where document_id = $1', ids['no chunks']],
      [
        `insert into chunks (app_id, document_id, chunk_number, revision, content, content_hash, content_type,
           start_offset, end_offset, terms, impacts, embedding)
         select app_id, document_id, chunk_number, 999999, content, content_hash, content_type, start_offset, end_offset,
           terms, impacts, embedding from chunks where document_id = $1`,
        ids['count'],
      ],
      [
        `insert into ingestion_jobs (app_id, document_id, payload, state, leased_until)
         values ('default', $1, $2, 'running', now() - interval '1 day')`,
        ids['expired'],
        posted,
      ],
      [`update documents set progress = '{}' where external_id = $1`, ids['expired']],
      [
        `insert into ingestion_jobs (app_id, document_id, payload) values ('default', gen_random_uuid(), $1)`,
        posted,
      ],
      [`insert into object_removals values ('default', $1, now() - interval '1 day')`, undeleted],
      [`insert into object_removals values ('default', $1, now() + interval '1 day')`, used],
      [`insert into vector_stores (app_id, folder_id) values ('default', gen_random_uuid())`],
      [`delete from apps where app_id = 'lost'`],
      [
        `do $$ declare name text; begin
           select indexname into name from pg_indexes where indexname like 'chunks\\_embedding\\_%';
           execute format('drop index %I', name);
         end $$`,
      ],
      ['drop index documents_end_user'],
      ['drop index chunks_terms'],
      [`update pg_index set indisvalid = false where indexrelid = 'documents_updated'::regclass`],
      [`update chunks set embedding = '[1,2,3]' where document_id = $1`, ids['vector']],
    ]);
    const found = await damages();
    expect(found).toMatchObject({
      'rows without a tenant': expect.any(Number) as number,
      'document texts without documents': 1,
      'chunks without documents': 1,
      'metadata order without documents': 1,
      'document summaries without documents': 1,
      'documents without folders': 1,
      'vector stores without folders': 1,
      'parents of folders': 1,
      'turns without conversations': 2,
      'positions in conversations': 2,
      'numbers of chunks': 1,
      'counts of chunks': 1,
      'ordered metadata': 1,
      texts: 2,
      'documents without a job': 1,
      'documents without chunks': 1,
      'chunks that no reader sees': 1,
      'jobs without documents': 1,
      'jobs without a worker': 1,
      'deletions of files': 1,
      'deletions of used files': 1,
      'files that no row refers to': 1,
      'files of pages': 1,
      'corpus statistics': expect.any(Number) as number,
      'missing indexes': 3,
      'invalid indexes': 1,
      'vectors of chunks': 1,
    });

    const asked = await doctor('--repair');
    expect(asked.output).toMatch(/The repair does the following:\n {2}rows without a tenant/);
    expect(asked.output).toContain('Nothing was changed. --yes repairs without asking.');
    expect(await damages()).toEqual(found);

    const repaired = await doctor('--repair', '--yes');
    expect(repaired.output).toMatch(
      /\nAfter the repair:\nnote {2}documents being processed: \d.*\n\nThe \d+ replaced rows are kept\. .*\n\n\d\d checks, no damage$/,
    );
    expect(repaired.code).toBe(0);

    await service.restart();
    await idle();
    for (const [name, id] of Object.entries(ids)) {
      const { system_metadata: state } = await documents.get(id);
      expect([name, state.status, await documents.text(id)]).toEqual([name, 'completed', texts.get(id)]);
    }
    const [best] = await documents.retrieve({ query: 'A vector of other dimensions.', k: 1 });
    expect(best?.document_id).toBe(ids['vector']);
    await service.terminate();
    expect(await damages()).toEqual({});
    const left = await files();
    expect(left.filter((key) => key === stray || key === undeleted)).toEqual([]);
    expect(left).toContain(used);
  });

  it('reports what only an operator can repair, and changes nothing', async () => {
    const gone = fileKeys.find((key) => key.includes(ids['gone.txt'] ?? '')) ?? '';
    await rename(path(gone), path(`${gone}.away`));
    const rotten = fileKeys.find((key) => key.includes(ids['notes.txt'] ?? '')) ?? '';
    const notes = await readFile(path(rotten));
    await writeFile(path(rotten), notes.with(7, 0)); // of the same size
    const upload = await uploadKey();
    const uploaded = await readFile(path(upload));
    await writeFile(path(upload), uploaded.with(0, 0));
    await damage([
      [`insert into service_state values ('next_embedding_space', '{}')`],
      [`insert into service_state values ('restore:x', '{"section": 3, "tenants": {}}')`],
      [`update service_state set value = value || '{"model": "another"}' where name = 'embedding_space'`],
      [`insert into apps (app_id, name, removing_since) values ('going', 'going', now() - interval '1 day')`],
    ]);
    const expected = {
      'files of documents': 3, // the upload is the file of a document too
      'files of uploads': 1,
      reindexing: 1,
      restores: 1,
      'embedding model': 1,
      'removals of tenants': 1,
    };
    expect(await damages('--repair', '--yes')).toEqual(expected);
    const { output } = await doctor();
    expect(output).toMatch(
      /fail {2}files of documents: 3\. .*\n(?: {6}\S+: default\/.*\n){3} {6}Restore the file/,
    );
    expect(output).toContain(`${gone} is missing`);
    expect(output).toContain(`${rotten} has a different SHA-256 than recorded`);
    await rename(path(`${gone}.away`), path(gone));
    await writeFile(path(rotten), notes);
    await writeFile(path(upload), uploaded);
    await damage([
      [`delete from service_state where name in ('next_embedding_space', 'restore:x')`],
      [
        `update service_state set value = value || '{"model": "local/all-MiniLM-L6-v2"}' where name = 'embedding_space'`,
      ],
      [`delete from apps where app_id = 'going'`],
    ]);
    expect(await damages()).toEqual({});
  });

  it('rejects options that do not go together', async () => {
    const run = (...args: string[]): Promise<Ended> =>
      ServiceProcess.spawn(service.environment, 'dist/cli/lectern.js', ['doctor', ...args]).end();
    expect((await run('--repair')).output).toMatch(/^--repair needs --deep\n/);
    expect((await run('--deep', '--yes')).output).toMatch(/^--yes needs --repair\n/);
  });

  onServer('beside a running service', () => {
    it('finds nothing while documents are ingested, updated and deleted', async () => {
      await service.restart();
      const state = { isDone: false };
      const work = (async () => {
        for (let round = 0; !state.isDone; round += 1) {
          const { external_id: id } = await documents.ingestText(`Round ${round}. ${LONG}`);
          const form = new FormData();
          form.append('file', new Blob([`Next ${round}. ${LONG}`]), 'next.txt');
          await service.client.post(`/documents/${id}/update_file`, form);
          await service.client.post(`/documents/${id}/update_text?update_strategy=add`, { content: LONG });
          await service.client.delete(`/documents/${id}`);
        }
      })();
      try {
        for (let looks = 0; looks < 4; looks += 1) expect(await damages()).toEqual({});
      } finally {
        state.isDone = true;
        await work;
      }
      await service.terminate();
    });
  });
});
