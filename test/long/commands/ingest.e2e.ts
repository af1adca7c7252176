import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DocumentRecord } from '../../support/documents.js';
import { startFlakyProxy, type Fate } from '../../support/flaky-proxy.js';
import { ServiceProcess, type Ended } from '../../support/process.js';
import { Service } from '../../support/service.js';

describe('lectern ingest', () => {
  let service: Service;
  let folder: string;
  const source = () => join(folder, 'handbook');

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lectern-source-'));
    await mkdir(join(source(), 'guides', '.drafts'), { recursive: true });
    await write('readme.md', '# Handbook\n\nHow the harbour works.');
    await write('guides/pilots.txt', 'Pilots board at buoy nine.');
    await write('guides/tugs — ü.txt', 'Tugs wait at the inner mole.');
    await write('guides/.drafts/secret.txt', 'Not for anybody.');
  });
  afterEach(async () => {
    for (const { external_id: id } of await stored()) await service.client.delete(`/documents/${id}`);
    await rm(folder, { recursive: true, force: true });
  });

  const write = (path: string, content: string | Uint8Array) => writeFile(join(source(), path), content);

  const command = (args: readonly string[], url = service.url) =>
    ServiceProcess.spawn({ LECTERN_URL: url, LECTERN_API_KEY: service.adminKey }, 'dist/cli/lectern.js', [
      'ingest',
      source(),
      ...args,
    ]);
  const ingest = (args: readonly string[] = [], url?: string): Promise<Ended> => command(args, url).end();

  async function stored(): Promise<DocumentRecord[]> {
    const answer = await service.client.post('/documents', { sort_by: 'external_id' });
    return (answer.json() as { readonly documents: DocumentRecord[] }).documents;
  }
  const paths = async () => (await stored()).map(({ metadata }) => metadata['source_path']).sort();

  it('ingests every file below a folder, and skips all of them the second time', async () => {
    const first = await ingest(['--metadata', '{"team": "pilots"}', '--folder', '/harbour']);
    expect(first.output).toMatch(/3 files in .* s: 3 new, 0 updated, 0 unchanged, 0 failed/);
    expect(first.code).toBe(0);
    const documents = await stored();
    expect(documents.map(({ metadata }) => [metadata['source_path'], metadata['team']]).sort()).toEqual([
      ['handbook/guides/pilots.txt', 'pilots'],
      ['handbook/guides/tugs — ü.txt', 'pilots'],
      ['handbook/readme.md', 'pilots'],
    ]);
    expect(documents.map(({ filename }) => filename).sort()).toEqual([
      'pilots.txt',
      'readme.md',
      'tugs — ü.txt',
    ]);
    const folders = documents.map(({ filename, folder_path }) => [filename, folder_path]);
    expect(folders.sort()).toEqual([
      ['pilots.txt', '/harbour/guides'],
      ['readme.md', '/harbour'],
      ['tugs — ü.txt', '/harbour/guides'],
    ]);

    for (const layout of [[], ['--flat']]) {
      const second = await ingest(['--folder', '/harbour', ...layout]);
      expect(second.output).toMatch(/3 files in .* s: 0 new, 0 updated, 3 unchanged, 0 failed/);
      expect(await stored()).toEqual(documents);
    }
  });

  it('puts all files into one folder with --flat', async () => {
    await ingest(['--folder', '/harbour', '--flat']);
    const documents = await stored();
    expect(documents.map(({ folder_path }) => folder_path)).toEqual(['/harbour', '/harbour', '/harbour']);
  });

  it('updates the document of a changed file', async () => {
    await ingest();
    const before = await stored();
    await write('guides/pilots.txt', 'Pilots board at buoy eleven.');
    const { output } = await ingest();
    expect(output).toMatch(/0 new, 1 updated, 2 unchanged, 0 failed/);
    const after = await stored();
    expect(after.map(({ external_id }) => external_id)).toEqual(before.map(({ external_id }) => external_id));
    const found = await service.client.post('/retrieve/chunks', { query: 'Where do pilots board?' });
    const texts = (found.json() as { readonly content: string }[]).map(({ content }) => content);
    expect(texts).toContain('Pilots board at buoy eleven.');
    expect(texts).not.toContain('Pilots board at buoy nine.');
  });

  it('reports failed files, continues with the others, exits with 1, and ingests a corrected file', async () => {
    await write('noise.bin', Buffer.from([0, 159, 255, 0, 1, 2, 3, 254]));
    const first = await ingest();
    expect(first.code).toBe(1);
    expect(first.output).toMatch(
      /4 files in .* s: 3 new, 0 updated, 0 unchanged, 1 failed\n {2}handbook\/noise.bin: \S/,
    );
    const again = await ingest();
    expect(again.output).toMatch(/0 new, 0 updated, 3 unchanged, 1 failed/);
    await write('noise.bin', 'No noise any more.');
    expect((await ingest()).code).toBe(0);
    expect(await paths()).toHaveLength(4);
  });

  it('prints the plan and changes nothing with --dry-run', async () => {
    const { output, code } = await ingest(['--dry-run']);
    expect(code).toBe(0);
    expect(output.split('\n').sort()).toEqual([
      '3 of 3 files would be sent',
      'new           handbook/guides/pilots.txt',
      'new           handbook/guides/tugs — ü.txt',
      'new           handbook/readme.md',
    ]);
    expect(await stored()).toEqual([]);
  });

  it('lists documents whose files are gone with --prune, and deletes them with --yes', async () => {
    await ingest();
    await write('guides/pilots.txt', 'Pilots board at buoy eleven.');
    await rm(join(source(), 'readme.md'));
    await mkdir(join(folder, 'handbook 2'));
    await writeFile(join(folder, 'handbook 2', 'other.txt'), 'Of another source.');
    await ServiceProcess.spawn(
      { LECTERN_URL: service.url, LECTERN_API_KEY: service.adminKey },
      'dist/cli/lectern.js',
      ['ingest', join(folder, 'handbook 2')],
    ).end();

    const listed = await ingest(['--prune']);
    expect(listed.output).toMatch(
      /^gone {6}handbook\/readme.md\n1 document without a file; --prune --yes deletes/m,
    );
    const dry = await ingest(['--prune', '--yes', '--dry-run']);
    expect(dry.output).toMatch(/^gone {6}handbook\/readme.md$/m);
    expect(await paths()).toContain('handbook/readme.md');

    const deleted = await ingest(['--prune', '--yes']);
    expect(deleted.output).toMatch(/^deleted {3}handbook\/readme.md\n1 document deleted/m);
    expect(await paths()).toEqual([
      'handbook 2/other.txt',
      'handbook/guides/pilots.txt',
      'handbook/guides/tugs — ü.txt',
    ]);
    expect((await ingest(['--prune', '--yes'])).output).toContain(
      'Every document of the source has its file.',
    );
  });

  it('deletes nothing for an empty folder or a single file', async () => {
    await ingest();
    await rm(source(), { recursive: true });
    await mkdir(source());
    const empty = await ingest(['--prune', '--yes']);
    expect([empty.code, empty.output]).toEqual([
      1,
      expect.stringContaining('has no files: nothing was pruned'),
    ]);
    expect(await paths()).toHaveLength(3);
  });

  it('resumes after an interruption without duplicates', async () => {
    for (let number = 0; number < 30; number += 1) await write(`note-${number}.txt`, `Note ${number}.`);
    const interrupted = command(['--concurrency', '2']);
    await interrupted.printed('note-');
    await interrupted.kill('SIGKILL');
    const { code } = await ingest();
    expect(code).toBe(0);
    const found = await paths();
    expect(found).toHaveLength(33);
    expect(new Set(found).size).toBe(33);
  });

  const onTerminal = spawnSync('script', ['--version']).status === 0 ? it : it.skip;
  onTerminal(
    'shows the cursor again and says what is left when it is interrupted on a terminal',
    async () => {
      const waiting = await Service.start({ WORKER: 'off' });
      const child = spawn(
        'script',
        ['-qefc', `"${process.execPath}" dist/cli/lectern.js ingest "${source()}"`, '/dev/null'],
        { env: { ...process.env, LECTERN_URL: waiting.url, LECTERN_API_KEY: waiting.adminKey } },
      );
      try {
        let shown = '';
        let isInterrupted = false;
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          shown += text;
          if (isInterrupted || !shown.includes('\u001b[?25l') || !shown.includes('queued')) return;
          isInterrupted = true;
          child.stdin.write('\u0003');
        });
        expect(await once(child, 'close')).toEqual([130, null]);
        expect(shown).toContain('0 of 3 files');
        expect(shown).toMatch(/Interrupted: 0 of 3 files done \(.*\), 3 in progress, 0 not begun\s/);
        expect(shown).toContain('Run the same command again');
        expect(shown.lastIndexOf('\u001b[?25h')).toBeGreaterThan(shown.lastIndexOf('\u001b[?25l'));
      } finally {
        child.kill();
        await waiting.stop();
      }
    },
  );

  it('retries after a 429 and a broken connection', async () => {
    const fates: Fate[] = ['later', 'lost', 'pass', 'lost'];
    const proxy = await startFlakyProxy(service.url, ({ url }) =>
      url === '/ingest/file' ? (fates.shift() ?? 'pass') : 'pass',
    );
    const { code, output } = await ingest([], proxy.url);
    await proxy.close();
    expect(output).toMatch(/3 new, 0 updated, 0 unchanged, 0 failed/);
    expect(code).toBe(0);
    expect(fates).toEqual([]);
    expect(await paths()).toHaveLength(3);
  });

  it('reports an invalid key, address or path', async () => {
    const at = (environment: Record<string, string>, path = source()) =>
      ServiceProcess.spawn(environment, 'dist/cli/lectern.js', ['ingest', path]).end();
    const refused = await at({ LECTERN_URL: service.url, LECTERN_API_KEY: 'wrong' });
    expect([refused.code, refused.output]).toEqual([1, expect.stringMatching(/^401: /)]);
    const closed = await startFlakyProxy(service.url, () => 'pass');
    await closed.close();
    const nobody = await at({ LECTERN_URL: closed.url });
    expect([nobody.code, nobody.output]).toEqual([
      1,
      `Cannot reach the service at ${closed.url} (ECONNREFUSED). Start it with \`lectern serve\`, or set another URL with --url or LECTERN_URL.`,
    ]);
    const nowhere = await at(
      { LECTERN_URL: service.url, LECTERN_API_KEY: service.adminKey },
      join(folder, 'nowhere'),
    );
    const sentence = `${join(folder, 'nowhere')}: no such file or directory`;
    expect([nowhere.code, nowhere.output]).toEqual([1, expect.stringContaining(sentence)]);
  });
});
