import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readSettings } from '../../../src/config/read-settings.js';
import { Documents } from '../../support/documents.js';
import { Service } from '../../support/service.js';

const run = promisify(execFile);

interface Block {
  readonly page: string;
  readonly language: string;
  readonly code: string;
}

/** Returns the code blocks of the documentation. */
async function readBlocks(): Promise<Block[]> {
  const names = (await readdir('docs', { recursive: true })).sort().filter((name) => name.endsWith('.md'));
  const pages = [
    'README.md',
    'CONTRIBUTING.md',
    'test/README.md',
    ...names.map((name) => join('docs', name)),
  ];
  const found = await Promise.all(
    pages.map(async (page) =>
      [...(await readFile(page, 'utf8')).matchAll(/^ *```(\w+)\n(.*?)^ *```$/gms)].map(
        ([, language = '', code = '']) => ({ page, language, code }),
      ),
    ),
  );
  return found.flat();
}

/** Specs that need a tool. Without it they are skipped, and the title of the run reports it. */
function itWith(missing: string, command: string, ...args: readonly string[]) {
  const isThere = spawnSync(command, args).status === 0;
  return (name: string, spec: () => Promise<void>): void => {
    if (isThere) it(name, spec);
    else it.skip(`${name} (skipped: ${missing})`, spec);
  };
}
const withOpenAi = itWith('python3 has no package openai', 'python3', '-c', 'import openai');
const withMorphik = itWith('python3 has no package morphik', 'python3', '-c', 'import morphik');
const withCompose = itWith('no Docker Compose', 'docker', 'compose', 'version');
const withKubectl = itWith('no kubectl', 'kubectl', 'version', '--client');

describe('code in the documentation', () => {
  let blocks: readonly Block[];
  beforeAll(async () => {
    blocks = await readBlocks();
  });

  const shell = (): Block[] => blocks.filter(({ language }) => language === 'sh');
  const blockOf = (page: string, language: string, part: string): string => {
    const block = blocks.find(
      (one) => one.page === page && one.language === language && one.code.includes(part),
    );
    if (block === undefined) throw new Error(`${page} has no block of ${language} with ${part}`);
    return block.code;
  };

  it('is valid JSON in JSON blocks', () => {
    const json = blocks.filter(({ language }) => language === 'json');
    expect(json.length).toBeGreaterThan(4);
    for (const { page, code } of json) {
      const isLines = code.split('\n').every((line) => line === '' || /^\{.*\}$/.test(line));
      for (const text of isLines ? code.trim().split('\n') : [code]) {
        expect({ page, value: JSON.parse(text) as unknown }).toMatchObject({ page });
      }
    }
  });

  it('is valid bash in shell blocks', async () => {
    for (const { code } of shell()) await run('bash', ['-n', '-c', code]);
    expect(shell().length).toBeGreaterThan(20);
  });

  it('has Python on these pages only; the tests below run every block', () => {
    const pages = blocks.filter(({ language }) => language === 'python').map(({ page }) => page);
    expect([...new Set(pages)]).toEqual([
      'docs/guide/answers.md',
      'docs/guide/migrating-from-morphik.md',
      'docs/guide/openai-file-search.md',
    ]);
  });

  it('uses existing settings with valid values', async () => {
    const cells = (await readFile('docs/guide/models.md', 'utf8'))
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .flatMap((row) => row.split(' | '))
      .map((cell) => [...cell.matchAll(/`([A-Z_]+=[^`]*)`/g)].map(([, one]) => one).join(' '));
    const examples = shell().flatMap(({ code }) => {
      const lines = code.replaceAll(/#.*/g, '').trim().split('\n');
      const isOne = lines.every((line) => /^[A-Z_]+=\S+\s*$/.test(line));
      return isOne ? [lines.join(' ')] : lines;
    });
    const environments = [...cells, ...examples]
      .map((text) => [
        ...text.matchAll(/(?:^|\s)((?:LLM|EMBEDDING|RERANKER|MULTIVECTOR)(?:_[A-Z_]+)?)=(\S+)/g),
      ])
      .filter((assignments) => assignments.length > 0)
      .map((assignments) => assignments.map(([, name = '', value = '']) => [name, value] as const));
    expect(environments.length).toBeGreaterThan(20);
    for (const assignments of environments) {
      const settings: object = readSettings(Object.fromEntries(assignments));
      expect(assignments.filter(([name]) => !(name in settings))).toEqual([]);
    }
  });

  it('names existing scripts, commands and flags', async () => {
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: object };
    const code = shell()
      .map((block) => block.code.replaceAll('\\\n', ' ').replaceAll(/#.*/g, ''))
      .join('\n');
    const named = [...code.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, script]) => script ?? '');
    expect(named.filter((script) => !(script in scripts))).toEqual([]);
    const calls = [...code.matchAll(/npx lectern ?(.*)/g)].map(([, rest = '']) => rest.split(/\s+/));
    expect(calls.length).toBeGreaterThan(8);
    for (const [command = '', ...words] of calls) {
      const { stdout } = await run('node', ['dist/cli/lectern.js', command, '--help']);
      const flags = words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0] ?? '');
      expect([command, flags.filter((flag) => !stdout.includes(flag))]).toEqual([command, []]);
    }
  });

  withCompose('is a stack that Docker Compose reads, with the secrets that are made for it', async () => {
    const [secrets = '', start] = blockOf('README.md', 'sh', 'docker compose up').split('\n');
    expect(start).toMatch(/^docker compose up /);
    const folder = await mkdtemp(join(tmpdir(), 'lectern-compose-'));
    await run('bash', ['-c', secrets], { cwd: folder });
    const all = [
      'compose',
      '--env-file',
      join(folder, '.env'),
      '--profile',
      'ollama',
      'config',
      '--services',
    ];
    const { stdout } = await run('docker', all);
    expect(stdout.trim().split('\n').sort()).toEqual(['lectern', 'ollama', 'postgres']);
    await rm(folder, { recursive: true });
  });

  withKubectl('is a secret and manifests that kubectl reads', async () => {
    const command = blockOf('docs/operate/deploy.md', 'sh', 'kubectl create secret').trimEnd();
    const made = await run('bash', ['-c', `${command} --dry-run=client --output json`], {
      env: { ...process.env, PASSWORD: 'p', S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 's' },
    });
    const secret = JSON.parse(made.stdout) as { metadata: { name: string }; data: Record<string, string> };
    const environment = Object.fromEntries(
      Object.entries(secret.data).map(([name, value]) => [name, Buffer.from(value, 'base64').toString()]),
    );
    const settings: object = readSettings(environment);
    expect(Object.keys(environment).filter((name) => !(name in settings))).toEqual([]);
    expect(blockOf('docs/operate/deploy.md', 'sh', 'kubectl apply')).toContain(
      'kubectl apply -k deploy/kubernetes\n',
    );
    const { stdout } = await run('kubectl', ['kustomize', 'deploy/kubernetes']);
    expect(stdout).toContain('kind: Deployment');
    expect(stdout).toContain(`secretRef:\n            name: ${secret.metadata.name}\n`);
  });

  describe('runs against a service:', () => {
    let service: Service;
    let folder: string;
    beforeAll(async () => {
      service = await Service.start();
      folder = await mkdtemp(join(tmpdir(), 'lectern-tour-'));
    });
    afterAll(async () => {
      await service.stop();
      await rm(folder, { recursive: true, force: true });
    });

    it('the README tour', async () => {
      const readme = await readFile('README.md', 'utf8');
      const tour = /^## A tour.*?(?=^## )/ms.exec(readme)?.[0] ?? '';
      const steps = [...tour.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code]) => code ?? '');
      expect(steps[0]).toContain('npm start');
      // The service already runs, on another port, and questions.jsonl is no file of the repository.
      const script = steps
        .slice(1)
        .join('echo "--- next"\n')
        .replaceAll('http://127.0.0.1:8000', service.url)
        .replaceAll('$(cat data/api-key)', '$LECTERN_API_KEY')
        .replaceAll('npx lectern', 'node dist/cli/lectern.js')
        .replaceAll('questions.jsonl', join(folder, 'questions.jsonl'))
        .replace('eval ', `eval --out ${join(folder, 'run.json')} `);
      const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
        env: { ...process.env, LECTERN_URL: service.url, LECTERN_API_KEY: service.adminKey },
        timeout: 200_000,
      });
      expect(stdout).not.toContain('"detail"');
      const [, , , found, answered, changed, measured] = stdout.split('--- next\n');
      expect(found).toContain('every Tuesday at noon');
      expect(answered).toContain('[observatory-annual-report-2025.pdf, page');
      expect(changed).toContain('on Thursdays');
      expect(measured).toMatch(/recall@1 /);
    });

    /**
     * Runs the Python blocks of a page as one program, with the address of this service. @returns its output
     */
    const python = async (page: string): Promise<string> => {
      const code = blocks
        .filter((block) => block.page === page && block.language === 'python')
        .map((block) => block.code)
        .join('\n')
        .replace('127.0.0.1:8000', new URL(service.url).host);
      const made = await service.client.post('/keys', { name: page, app_id: 'default', scopes: ['admin'] });
      const environment = { ...process.env, LECTERN_API_KEY: (made.json() as { key: string }).key };
      return (await run('python3', ['-c', code], { env: environment, timeout: 200_000 })).stdout;
    };

    withOpenAi('the Python client of OpenAI', async () => {
      await new Documents(() => service.client).ingestText('The warranty of the lamp lasts two years.', {
        filename: 'lamp.txt',
        folder_name: '/manuals',
        metadata: { year: 2025 },
      });
      expect(await python('docs/guide/answers.md')).toBe(
        'The warranty of the lamp lasts two years. [lamp.txt]\n',
      );
    });

    withOpenAi("OpenAI's file search in Python", async () => {
      expect(await python('docs/guide/openai-file-search.md')).toBe(
        [
          'harbour.md The keeper is relieved every Tuesday at noon.',
          'The keeper is relieved every Tuesday at noon.',
          'harbour.md 45',
          ...['message', 'file_search_call', 'message'],
          ...['message', 'file_search_call', 'message'],
          '',
        ].join('\n'),
      );
    });

    withMorphik("Morphik's Python client", async () => {
      expect(await python('docs/guide/migrating-from-morphik.md')).toBe('The lamp is lit at dusk.\n');
    });

    it('the filter of its page', async () => {
      const filters = JSON.parse(blockOf('docs/guide/filters.md', 'json', '$regex')) as unknown;
      const answer = await service.client.post('/retrieve/chunks', { query: 'telescope', filters });
      expect(answer.status).toBe(200);
    });

    it('the rules of a document', async () => {
      const rules = JSON.parse(blockOf('docs/guide/documents.md', 'json', 'metadata_extraction')) as unknown;
      const answer = await service.client.post('/ingest/text', { content: 'By A. Author.', rules });
      expect([200, 422]).toContain(answer.status);
      // Rules need a language model: without one the only error is the missing setting.
      if (answer.status === 422) expect(JSON.stringify(answer.json())).toContain('LLM_MODEL');
    });

    it('the format of an error', async () => {
      const shown = JSON.parse(blockOf('docs/reference/http.md', 'json', '"detail"')) as unknown;
      const answer = await service.client.post('/retrieve/chunks', {
        query: 'lamp',
        k: 0,
        folder_name: ['/a', 3],
      });
      expect([answer.status, answer.json()]).toEqual([422, shown]);
    });
  });
});
