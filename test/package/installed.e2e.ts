import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { COMMANDS } from '../support/commands.js';

const run = promisify(execFile);

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Files that must not be in the package. */
const FOREIGN = /\.(spec|e2e)\.|\.map$|^(src|test|bench|docs|scripts|clients|reports)\/|reference\.jsonl|^\./;

describe('the packed package', () => {
  let folder: string;
  let work: string;
  let service: ChildProcess | undefined;
  let url = '';
  let packed: {
    readonly filename: string;
    readonly size: number;
    readonly files: readonly { path: string }[];
  };

  /** The environment of a user, with PATH and npm's cache from this process only. */
  const environment = (more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv => ({
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    npm_config_prefer_offline: 'true',
    ONNXRUNTIME_NODE_INSTALL: 'skip',
    ...more,
  });

  async function pack(from: string): Promise<typeof packed> {
    const args = ['pack', '--json', '--pack-destination', folder];
    const { stdout } = await run('npm', args, { cwd: resolve(from), env: environment() });
    const [only] = JSON.parse(stdout) as [typeof packed];
    return only;
  }

  async function lectern(
    args: readonly string[],
    { cwd = work, env = {} }: { cwd?: string; env?: Readonly<Record<string, string>> } = {},
  ): Promise<Ended> {
    const script = join(folder, 'node_modules', '.bin', 'lectern');
    return run(script, [...args], { cwd, env: environment(env) }).then(
      (output) => ({ code: 0, ...output }),
      (error: unknown) => error as Ended,
    );
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lectern-package-'));
    work = join(folder, 'work');
    await mkdir(work);
    packed = await pack('.');
    await run('npm', ['run', 'build'], { cwd: resolve('clients/typescript'), env: environment() });
    const client = await pack('clients/typescript');
    await writeFile(join(folder, 'package.json'), '{"private": true, "type": "module"}');
    const args = ['install', '--no-audit', '--no-fund', `./${packed.filename}`, `./${client.filename}`];
    await run('npm', args, { cwd: folder, env: environment() });

    service = spawn(join(folder, 'node_modules', '.bin', 'lectern'), ['serve', '--port', '0'], {
      cwd: work,
      env: environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    url = await printedAddress(service);
  });
  afterAll(async () => {
    if (service !== undefined) await stopped(service);
    await rm(folder, { recursive: true, force: true });
  });

  it('contains runtime files only', () => {
    const paths = packed.files.map(({ path }) => path);
    expect(paths.filter((path) => FOREIGN.test(path))).toEqual([]);
    expect(paths).toEqual(
      expect.arrayContaining([
        'dist/cli/lectern.js',
        'dist/bundle/run-service.js',
        'dist/web/index.html',
        'models/all-MiniLM-L6-v2/model_int8.onnx',
        'demo/documents/greenhouse-controller-manual.md',
        'LICENSE',
        'README.md',
      ]),
    );
    // Among it the bundled model (23 MB unpacked), the prepared database (5 MB) and dist/bundle (2 MB). The multilingual model is a separate package.
    expect(packed.size).toBeLessThan(30_000_000);
  });

  it('prints its version and the usage of its commands', async () => {
    const version = await lectern(['--version']);
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+ \((commit [\da-f]+, )?schema \w+\)\n$/);
    const help = await lectern(['--help']);
    for (const name of COMMANDS) {
      expect(help.stdout).toContain(`  ${name} `);
      const usage = await lectern([name, '--help']);
      expect([usage.code, usage.stdout]).toEqual([0, expect.stringMatching(/^Usage:\s+lectern /)]);
      expect((await lectern([name, '--version'])).stdout).toBe(version.stdout);
    }
  });

  it('stores data in the folder where it was started', async () => {
    expect(await readdir(join(work, 'data'))).toEqual(expect.arrayContaining(['api-key', 'postgres']));
    const inside = join(folder, 'node_modules', 'lectern');
    const refused = await lectern(['serve', '--port', '0'], { cwd: inside });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('is inside node_modules')]);
  });

  it('serves its Swagger UI', async () => {
    const page = await fetch(`${url}/docs`);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('swagger-ui')]);
  });

  it('ingests a file and answers from it with the generated key', async () => {
    const env = { PORT: new URL(url).port };
    const manual = join(folder, 'node_modules/lectern/demo/documents/greenhouse-controller-manual.md');
    const ingested = await lectern(['ingest', manual], { env });
    expect(ingested.stdout).toContain('1 new, 0 updated, 0 unchanged, 0 failed');
    const answer = await lectern(['ask', 'What does error E07 mean?'], { env });
    expect(answer).toMatchObject({ code: 0 });
    expect(answer.stdout).toContain('[greenhouse-controller-manual.md]');
    expect(answer.stderr).toMatch(
      /Sources \(extractive\):\n {2}1\. greenhouse-controller-manual\.md, chunk \d+ /,
    );
    const nothing = await lectern(['ask', 'E07', '--folder', '/elsewhere'], { env });
    expect(nothing.stderr).toContain('No sources: nothing was found.');
  });

  it('prints the remedy for a missing key, a wrong key, and an unreachable service', async () => {
    const env = { PORT: new URL(url).port };
    const elsewhere = { cwd: folder, env };
    const missing = await lectern(['ask', 'E07'], elsewhere);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toMatch(
      /^401: .*none was found in .*\/data\/api-key: set --key or LECTERN_API_KEY, or DATA_DIR/,
    );
    const wrong = await lectern(['ingest', '.', '--key', 'wrong-key'], elsewhere);
    expect(wrong.stderr).toMatch(/^401: .*the key came from --key/);
    expect(wrong.stderr).not.toContain('wrong-key');
    const nobody = await lectern(['ask', 'E07', '--url', 'http://127.0.0.1:9']);
    expect(nobody.stderr).toMatch(
      /^Cannot reach the service at http:\/\/127.0.0.1:9 .*lectern serve.*LECTERN_URL/,
    );
  });

  it('names the package of the multilingual model, and uses it once installed', async () => {
    const cwd = join(folder, 'multilingual');
    await mkdir(cwd);
    const env = { EMBEDDING_MODEL: 'local-multilingual' };
    const without = await lectern(['serve', '--port', '0'], { cwd, env });
    expect([without.code, without.stderr]).toEqual([
      1,
      expect.stringContaining('run "npm install @lectern/multilingual-e5-small"'),
    ]);
    const model = await pack('models/multilingual-e5-small');
    expect(model.files.map(({ path }) => path).sort()).toEqual([
      'LICENSE',
      'README.md',
      'model_q4.onnx',
      'package.json',
      'pieces.bin',
    ]);
    await run('npm', ['install', '--no-audit', '--no-fund', `./${model.filename}`], {
      cwd: folder,
      env: environment(),
    });
    const multilingual = spawn(join(folder, 'node_modules', '.bin', 'lectern'), ['serve', '--port', '0'], {
      cwd,
      env: environment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const port = new URL(await printedAddress(multilingual)).port;
    await writeFile(join(cwd, 'port.txt'), 'Товары могут оставаться в порту тридцать дней.');
    await lectern(['ingest', 'port.txt'], { cwd, env: { PORT: port } });
    const found = await lectern(['search', 'How long may goods stay in the harbour?'], {
      cwd,
      env: { PORT: port },
    });
    expect(await stopped(multilingual)).toBe(0);
    expect(found.stdout).toContain('port.txt');
  });

  it('serves the packed client', async () => {
    const script = `
      import { readFileSync } from 'node:fs';
      import { LecternClient } from '@lectern/client';
      const key = readFileSync('work/data/api-key', 'utf8');
      const client = new LecternClient({ url: process.argv[2], key });
      let text = '';
      for await (const event of client.queryStream({ query: 'What does error E07 mean?' })) {
        if (event.type === 'assistant') text += event.content;
        else console.log(JSON.stringify({ text, sources: event.sources.length }));
      }`;
    await writeFile(join(folder, 'ask.js'), script);
    const { stdout } = await run(process.execPath, ['ask.js', url], { cwd: folder, env: environment() });
    expect(JSON.parse(stdout)).toEqual({ text: expect.stringContaining('E07') as string, sources: 4 });
  });

  it('creates, lists and revokes keys after the service has stopped', async () => {
    const running = await lectern(['keys', 'list']);
    expect([running.code, running.stderr]).toEqual([1, expect.stringContaining('is in use by process')]);
    if (service !== undefined) expect(await stopped(service)).toBe(0);
    const made = await lectern(['keys', 'create', '--name', 'reader', '--scopes', 'read']);
    expect(made.stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    const listed = await lectern(['keys', 'list']);
    expect(listed.stdout).toMatch(/ {2}read {2}expires .* {2}reader\n/);
    const id = /^(\S+) {2}read /m.exec(listed.stdout)?.[1] ?? '';
    await lectern(['keys', 'revoke', id]);
    expect((await lectern(['keys', 'list'])).stdout).toMatch(/ {2}read {2}revoked {2}reader\n/);
  });

  it('runs the demo', async () => {
    const tour = await lectern(['demo', '--once']);
    expect([tour.code, tour.stderr]).toEqual([0, '']);
    expect(tour.stdout).toContain('The tour is finished');
  });
});

/** @throws Error with the output if the process exits first */
async function printedAddress(service: ChildProcess): Promise<string> {
  let output = '';
  for (const stream of [service.stdout, service.stderr]) stream?.setEncoding('utf8');
  service.stdout?.on('data', (text: string) => (output += text));
  return new Promise((resolve, reject) => {
    service.stderr?.on('data', (text: string) => {
      output += text;
      const address = /Address +(http:\/\/\S+)/.exec(output)?.[1];
      if (address !== undefined && output.includes('Swagger UI')) resolve(address);
    });
    service.once('exit', () => {
      reject(new Error(output));
    });
  });
}

async function stopped(service: ChildProcess): Promise<number | null> {
  if (service.exitCode === null && service.signalCode === null) {
    const ended = once(service, 'exit');
    service.kill('SIGTERM');
    await ended;
  }
  return service.exitCode;
}
