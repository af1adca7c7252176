import { cp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSettings } from '../../../src/config/read-settings.js';
import { openMigrated } from '../../../src/database/open-database.js';
import { Documents } from '../../support/documents.js';
import { ServiceProcess } from '../../support/process.js';
import { Service } from '../../support/service.js';

const LONG = Array.from({ length: 60 }, (_, n) => `Sentence ${n} tells of the harbour and buoy ${n}.`).join(
  ' ',
);

/** Statements with the id of the document as $1, or a change of its file. */
interface Damage {
  readonly of: 'text' | 'appended' | 'file';
  readonly sql?: readonly string[];
  readonly file?: (path: string) => Promise<void>;
  /** What the report says of the document, if its text cannot be restored. */
  readonly lost?: RegExp;
}

const LOSE_TEXT = 'delete from document_texts where document_id = $1';
const LOSE_CHUNKS = 'delete from chunks where document_id = $1';
const LOSE_ROW = 'delete from documents where external_id = $1';
const FORGET_SUM = `update documents set storage_files = jsonb_set(storage_files, '{0}', (storage_files -> 0) - 'sha256')
  where external_id = $1`;

const MATRIX: Readonly<Record<string, Damage>> = {
  'a lost text': { of: 'text', sql: [LOSE_TEXT] },
  'a lost part': { of: 'appended', sql: [`${LOSE_TEXT} and part = 0`] },
  'a lost last part': { of: 'appended', sql: [`${LOSE_TEXT} and part > 0`] },
  'a text without a sentence': {
    of: 'text',
    sql: [
      `update document_texts set content = replace(content, 'Sentence 7 tells of the harbour and buoy 7. ', '')
           where document_id = $1`,
    ],
  },
  'an appended text without a sentence': {
    of: 'appended',
    sql: [
      `update document_texts set content = replace(content, 'Sentence 7 tells of the harbour and buoy 7. ', '')
           where document_id = $1`,
    ],
  },
  'a changed word': {
    of: 'text',
    sql: [
      `update document_texts set content = replace(content, 'Sentence 9', 'Sentense 9') where document_id = $1`,
    ],
  },
  'a doubled part': {
    of: 'text',
    sql: [
      `insert into document_texts select app_id, document_id, part + 1, content, start_offset from document_texts
           where document_id = $1`,
    ],
  },
  'a lost chunk': { of: 'text', sql: [`${LOSE_CHUNKS} and chunk_number = 3`] },
  'a lost last chunk': {
    of: 'text',
    sql: [`${LOSE_CHUNKS} and chunk_number = (select max(chunk_number) from chunks where document_id = $1)`],
  },
  'lost chunks': { of: 'text', sql: [LOSE_CHUNKS] },
  'a changed chunk': {
    of: 'text',
    sql: [`update chunks set content = 'x' || content where document_id = $1 and chunk_number = 2`],
  },
  'a doubled chunk': {
    of: 'text',
    sql: [
      `insert into chunks (app_id, document_id, chunk_number, revision, content, content_hash, content_type,
             start_offset, end_offset, terms, impacts, embedding)
           select app_id, document_id, 99, revision, content, content_hash, content_type, start_offset, end_offset, terms,
             impacts, embedding from chunks where document_id = $1 and chunk_number = 0`,
    ],
  },
  'a lost chunk and a sentence lost elsewhere': {
    of: 'text',
    sql: [
      `${LOSE_CHUNKS} and chunk_number = 4`,
      `update document_texts set content = replace(content, 'Sentence 2 tells of the harbour and buoy 2. ', '')
       where document_id = $1`,
    ],
    lost: /Not repairable: characters \d+ to \d+ of the text are lost/,
  },
  'a lost text with a lost chunk': {
    of: 'text',
    sql: [LOSE_TEXT, `${LOSE_CHUNKS} and chunk_number = 4`],
    lost: /Not repairable: characters \d+ to \d+ of the text are lost/,
  },
  'a lost row': { of: 'text', sql: [LOSE_ROW] },
  'a lost row with its text': { of: 'text', sql: [LOSE_ROW, LOSE_TEXT] },
  'a lost row with its chunks': { of: 'text', sql: [LOSE_ROW, LOSE_CHUNKS] },
  'wrong revisions': {
    of: 'text',
    sql: [`update documents set live_revisions = '{5}' where external_id = $1`],
  },
  'a wrong length': { of: 'text', sql: ['update documents set text_length = 7 where external_id = $1'] },
  'a wrong count': { of: 'text', sql: ['update documents set chunk_count = 2 where external_id = $1'] },
  'everything but the file': { of: 'file', sql: [LOSE_TEXT, LOSE_CHUNKS] },
  'everything but a changed file': {
    of: 'file',
    sql: [LOSE_TEXT, LOSE_CHUNKS],
    file: (path) => writeFile(path, 'changed'),
    lost: /Not repairable: neither a text nor chunks are left; its file is missing, or has/,
  },
  'everything but a file without a checksum': { of: 'file', sql: [LOSE_TEXT, LOSE_CHUNKS, FORGET_SUM] },
  'a file without a checksum': { of: 'file', sql: [FORGET_SUM] },
  'a lost file': { of: 'file', file: (path) => rm(path), lost: /is missing/ },
  'a doubled file': { of: 'file', file: (path) => cp(path, `${path}0`) },
};

describe('lectern doctor --deep --repair', () => {
  let service: Service;
  let documents: Documents;
  const ids: Record<string, string> = {};
  const texts: Record<string, string> = {};
  let damages: readonly string[];

  const spaced = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
  const doctor = async (...args: string[]): Promise<string> =>
    (
      await ServiceProcess.spawn(service.environment, 'dist/cli/lectern.js', [
        'doctor',
        '--deep',
        ...args,
      ]).end()
    ).output;

  async function fileOf(id: string): Promise<string> {
    const folder = join(service.dataDir, 'files');
    const names = await readdir(folder, { recursive: true });
    return join(
      folder,
      names.find((name) => name.split('/')[1] === id && name.split('/').length === 3) ?? '',
    );
  }

  beforeAll(async () => {
    service = await Service.start({ CHUNK_SIZE: '64', CHUNK_OVERLAP: '8' });
    documents = new Documents(() => service.client);
    for (const [name, { of }] of Object.entries(MATRIX)) {
      const content = `About ${name}. ${LONG}`;
      const { external_id: id } = await (of === 'file'
        ? documents.ingestFile(`${name}.txt`, Buffer.from(content))
        : documents.ingestText(content));
      if (of === 'appended') {
        await service.client.post(`/documents/${id}/update_text?update_strategy=add`, {
          content: `More. ${LONG}`,
        });
      }
      ids[name] = id;
      texts[name] = spaced(await documents.text(id));
    }
    await service.terminate();
    const database = await openMigrated(readSettings(service.environment));
    try {
      for (const [name, { sql = [], file }] of Object.entries(MATRIX)) {
        const id = ids[name] ?? '';
        await database.transaction(async (manager) => {
          await manager.query('set local session_replication_role = replica');
          for (const statement of sql) await manager.query(statement, [id]);
        });
        await file?.(await fileOf(id));
      }
    } finally {
      await database.destroy();
    }
    await doctor('--repair', '--yes');
    await service.restart();
    for (const [name, id] of Object.entries(ids)) {
      if (MATRIX[name]?.lost === undefined) await documents.settled(id);
    }
    await service.terminate();
    const output = await doctor('--json');
    const { checks } = JSON.parse(output.slice(output.indexOf('{'))) as {
      checks: readonly { readonly isNote: boolean; readonly examples: readonly string[] }[];
    };
    damages = checks.filter(({ isNote }) => !isNote).flatMap(({ examples }) => examples);
    await service.restart();
  });
  afterAll(() => service.stop());

  it.each(Object.keys(MATRIX))(
    'after %s: the text is whole, or the report says what is lost',
    async (name) => {
      const id = ids[name] ?? '';
      const lines = damages.filter((line) => line.includes(id));
      const { lost } = MATRIX[name] ?? {};
      if (lost !== undefined) {
        expect(lines.join('\n')).toMatch(lost);
        return;
      }
      expect(lines).toEqual([]);
      expect(spaced(await documents.text(id))).toBe(texts[name]);
      const { system_metadata: state } = await documents.get(id);
      expect(state.status).toBe('completed');
      const found = await documents.retrieve({ query: `About ${name}.`, k: 1, filters: { external_id: id } });
      expect(found).toHaveLength(1);
    },
  );

  it('keeps what it replaced until it is told to discard it', async () => {
    await service.terminate();
    const kept = join(service.dataDir, 'files', '_kept', 'default', ids['a doubled file'] ?? '');
    expect(await readdir(kept)).toHaveLength(1);
    expect(await doctor('--discard')).toMatch(/^Discarded [1-9]\d* rows and 1 files/);
    expect(await doctor('--discard')).toMatch(/^Discarded 0 rows and 0 files/);
    await service.restart();
  });
});
