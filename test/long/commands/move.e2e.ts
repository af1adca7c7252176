import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type Answer } from '../../support/client.js';
import { copyMigrated } from '../../support/migrated-folder.js';
import { Documents, type DocumentRecord } from '../../support/documents.js';
import { minimalPdf } from '../../support/minimal-pdf.js';
import { ServiceProcess, type Ended } from '../../support/process.js';
import { createServerDatabase, serverUrl, type ServerDatabase } from '../../support/server-database.js';

const ADMIN_KEY = randomBytes(24).toString('base64url');

/** An installation with the embedded database, or with a database on the server of this run. */
class Installation {
  private process: ServiceProcess | undefined;
  private base = '';

  private constructor(
    readonly folder: string,
    private readonly database: ServerDatabase | null,
    readonly environment: Readonly<Record<string, string>>,
  ) {}

  static async make(jwtSecret: string, server?: string): Promise<Installation> {
    const folder = await mkdtemp(join(tmpdir(), 'lectern-move-'));
    const database = server === undefined ? null : await createServerDatabase(server);
    if (database === null) await copyMigrated(join(folder, 'postgres'));
    return new Installation(folder, database, {
      DATA_DIR: folder,
      PORT: '0',
      ADMIN_KEY,
      JWT_SECRET: jwtSecret,
      RATE_LIMIT_PER_MINUTE: '0',
      ...(database !== null && { DATABASE_URL: database.url }),
    });
  }

  async start(): Promise<void> {
    await this.stop();
    this.process = ServiceProcess.spawn(this.environment);
    this.base = await this.process.url();
  }

  async stop(): Promise<void> {
    await this.process?.kill('SIGTERM');
    this.process = undefined;
  }

  as(key: string = ADMIN_KEY): Client {
    return new Client(this.base, key);
  }

  command(...args: string[]): Promise<Ended> {
    return ServiceProcess.spawn(this.environment, 'dist/cli/lectern.js', args).end();
  }

  async remove(): Promise<void> {
    await this.stop();
    await this.database?.drop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

const TIDES = { size: [300, 200], content: 'BT /F1 12 Tf 20 100 Td (A page about tides) Tj ET' } as const;

const QUESTIONS = [
  { query: 'Who relieves the keeper of the lighthouse?', k: 5 },
  { query: 'litres of oil in barrel 7', k: 10 },
  { query: 'oil', k: 8, filters: { barrel: { $gte: 10 } } },
  { query: 'barrels of the harbour', k: 8, filters: { tags: { $in: ['odd'] } } },
  { query: 'harbour', k: 4, folder_name: '/port' },
  { query: 'a page about tides', k: 3 },
];

describe('lectern export and lectern restore', () => {
  let source: Installation;
  let target: Installation;
  let file: string;
  let key: string;
  let answers: Told[];
  beforeAll(async () => {
    const secret = randomBytes(48).toString('base64url');
    source = await Installation.make(secret); // embedded, whatever this run has
    target = await Installation.make(secret, serverUrl);
    file = join(source.folder, 'all.export');
    await source.start();
    key = await fill(source);
    answers = await ask(source, key);
    await source.stop();
  });
  afterAll(async () => {
    await source.remove();
    await target.remove();
  });

  /** @returns a key of the tenant acme */
  async function fill(installation: Installation): Promise<string> {
    const made = await installation.as().post('/cloud/generate_uri', { name: 'acme', app_id: 'acme' });
    const acme = /:([\w.-]+)@/.exec(made.text)?.[1] ?? '';
    for (const owner of [acme, ADMIN_KEY]) {
      const documents = new Documents(() => installation.as(owner));
      await documents.ingestText('The keeper of the lighthouse is relieved every second Sunday.', {
        folder_name: '/port/light',
      });
      for (let barrel = 0; barrel < 20; barrel += 1) {
        await documents.ingestText(`Barrel ${barrel} of the harbour holds ${barrel + 3} litres of oil.`, {
          filename: `barrel ${barrel}.txt`,
          metadata: { barrel, tags: [barrel % 2 === 0 ? 'even' : 'odd'] },
          ...(barrel % 3 === 0 && { folder_name: '/port' }),
        });
      }
      await documents.ingestFile('tides.pdf', minimalPdf([TIDES]));
    }
    await installation.as(acme).post('/query', { query: 'oil in barrel 3?', chat_id: 'first' });
    return acme;
  }

  /** Responses to a client of the tenant. */
  async function ask(installation: Installation, owner: string): Promise<Told[]> {
    const client = installation.as(owner);
    const { documents: listed } = (await client.post('/documents', { limit: 100 })).json() as {
      documents: DocumentRecord[];
    };
    const asked: Answer[] = [];
    for (const question of QUESTIONS) asked.push(await client.post('/retrieve/chunks', question));
    asked.push(await client.get('/folders'), await client.get('/chats'), await client.get('/chat/first'));
    for (const { external_id: id } of listed) asked.push(await client.get(`/documents/${id}/file`));
    return [{ text: JSON.stringify(listed), scores: [] }, ...asked.map(told)];
  }

  it('exports everything to a file, which is not readable for others', async () => {
    const { code, output } = await source.command('export', '--output', file);
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(/^Exported 44 documents, 44 chunks, \d+ rows in all, and 2 files \(0\.0 MB\)\.$/),
    ]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const again = await source.command('export', '--output', file);
    expect([again.code, again.output]).toEqual([1, `${file} exists: name a new file with --output`]);
    const nowhere = await source.command('export', '--output', '/nowhere/a.export');
    expect([nowhere.code, nowhere.output]).toEqual([
      1,
      '/nowhere/a.export cannot be written (its folder does not exist): name another file with --output',
    ]);
    const unknown = await source.command('export', '--app', 'nobody', '--output', `${file}.2`);
    expect([unknown.code, unknown.output]).toEqual([1, 'There is no tenant "nobody"']);
    await expect(stat(`${file}.2`)).rejects.toThrow('ENOENT');
  });

  it('changes nothing for a file with a damaged byte', async () => {
    const bytes = await readFile(file);
    bytes[bytes.length - 500] = (bytes[bytes.length - 500] ?? 0) ^ 1;
    await writeFile(`${file}.damaged`, bytes);
    const { code, output } = await target.command('restore', `${file}.damaged`);
    expect([code, output]).toEqual([1, expect.stringMatching(/^The export is damaged at byte \d+: /)]);
  });

  it('continues a restore that was killed, and gives the same answers with the same scores', async () => {
    const bytes = await readFile(file);
    for (const share of [0.1, 0.4, 0.6, 0.8, 0.95]) {
      await killedAfter(target, bytes.subarray(0, Math.floor(bytes.length * share)));
    }
    const { code, output } = await target.command('restore', file);
    expect([code, output]).toEqual([0, expect.stringMatching(/^Restored 44 documents, 44 chunks, /)]);
    await target.start();
    expectSame(await ask(target, key), answers);
    const documents = new Documents(() => target.as(key));
    await documents.ingestText('A document that comes after the restore.');
    expect((await documents.retrieve({ query: 'comes after the restore', k: 1 }))[0]?.content).toContain(
      'after',
    );
    await target.stop();
  });

  it('refuses an export for a tenant that has documents', async () => {
    const { code, output } = await target.command('restore', file);
    expect([code, output]).toEqual([1, expect.stringMatching(/^The tenant "\w+" is not empty/)]);
  });

  it('restores one tenant into several parts of another one', async () => {
    const one = join(source.folder, 'acme.export');
    expect((await target.command('export', '--app', 'acme', '--output', one)).code).toBe(0);
    const restored = await target.command('restore', one, '--into', 'wide', '--parts', '4');
    expect([restored.code, restored.output]).toEqual([0, expect.stringContaining('Restored 23 documents')]);
    const made = await target.command('keys', 'create', '--app', 'wide', '--name', 'k', '--scopes', 'admin');
    const wide = /^[\w-]+\.[\w-]+\.[\w-]+$/m.exec(made.output)?.[0] ?? '';
    await target.start();
    const inParts = await ask(target, wide);
    expect(JSON.parse(inParts[0]?.text ?? '')).toHaveLength(23);
    const questions = (all: readonly Told[]): Told[] => all.slice(1, 1 + QUESTIONS.length);
    expect(questions(inParts)).toEqual(questions(await ask(target, key)));
  });
});

/** An answer with its scores apart. */
interface Told {
  readonly text: string;
  readonly scores: readonly number[];
}

function told({ status, text }: Answer): Told {
  const score = /"score":([\d.e-]+)/g;
  return {
    text: `${status} ${text.replaceAll(score, '').replaceAll(/"download_url":"[^"]*"/g, '')}`,
    scores: [...text.matchAll(score)].map(([, digits]) => Number(digits)),
  };
}

/** Compares scores to six digits: the two kinds of database add up single-precision products in another order. */
function expectSame(all: readonly Told[], expected: readonly Told[]): void {
  expect(all.map(({ text }) => text)).toEqual(expected.map(({ text }) => text));
  for (const [index, { scores }] of all.entries()) {
    for (const [at, score] of scores.entries())
      expect(score).toBeCloseTo(expected[index]?.scores[at] ?? -1, 6);
  }
}

/** Feeds a restore with the beginning of an export and kills it as soon as it has taken the bytes. */
async function killedAfter({ environment }: Installation, bytes: Buffer): Promise<void> {
  const child: ChildProcess = spawn(process.execPath, ['dist/cli/lectern.js', 'restore'], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const { stdin } = child;
  if (stdin === null) throw new Error('the process has no stdin');
  stdin.on('error', () => undefined);
  await new Promise((taken) => stdin.write(bytes, taken));
  child.kill('SIGKILL');
  await once(child, 'close');
}
