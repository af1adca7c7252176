import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'test/README.md',
  'SECURITY.md',
  'clients/typescript/README.md',
  'clients/react/README.md',
  'clients/vue/README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

const SPECS = ['src', 'reader/src', 'maintenance', 'test', 'web/src'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(spec|e2e)\.ts$/.test(name))
    .map((name) => join(folder, name)),
);

interface Link {
  readonly file: string;
  readonly anchor: string;
}

/** Returns the links to files of this repository, relative to its root. */
function linksOf(page: string): Link[] {
  const targets = [...readFileSync(page, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor = ''] = target.split('#');
      return { file: path === '' ? page : join(dirname(page), path), anchor };
    });
}

/** Returns the anchors that Markdown viewers derive from headings. */
function anchorsOf(page: string): string[] {
  const headings = readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Declarations that the TypeScript examples expect from their application. */
const DECLARED = `
declare const key: string, question: string, chat: string;
declare const file: File, bar: HTMLProgressElement, output: HTMLElement;
declare const model: import('ai').LanguageModel;
declare function mark(start: number, end: number, citation: object): void;
`;

/** Type checks the TypeScript blocks of each page as a module against the sources of the client. @returns the errors */
function typeErrorsOf(pages: readonly string[]): string {
  const folder = 'node_modules/.cache/documentation';
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const page of pages) {
    const blocks = [...readFileSync(page, 'utf8').matchAll(/^```tsx?\n(.*?)^```$/gms)].map(
      ([, code]) => code!,
    );
    expect(blocks.length).toBeGreaterThan(0);
    writeFileSync(join(folder, page.replaceAll(/\W/g, '-') + '.tsx'), `${blocks.join('\n')}\n${DECLARED}`);
  }
  const compilerOptions = {
    rootDir: '../../..',
    noEmit: true,
    incremental: false,
    tsBuildInfoFile: null,
    noUnusedLocals: false,
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: ['node'],
    jsx: 'react-jsx',
  };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../../../tsconfig.json', compilerOptions, include: ['*.tsx'] }),
  );
  return spawnSync(process.execPath, ['node_modules/typescript-7/bin/tsc', '-p', folder], {
    encoding: 'utf8',
  }).stdout;
}

describe('the documentation', () => {
  it.each(PAGES)('%s has no broken link', (page) => {
    const broken = linksOf(page).filter(
      ({ file, anchor }) => !existsSync(file) || (anchor !== '' && !anchorsOf(file).includes(anchor)),
    );
    expect(broken).toEqual([]);
  });

  it('is linked from its index, page by page', () => {
    const linked = ['docs/README.md', ...linksOf('docs/README.md').map(({ file }) => file)];
    expect(PAGES.filter((page) => !linked.includes(page))).toEqual([]);
    expect(linksOf('README.md').map(({ file }) => file)).toContain('docs/README.md');
  });

  it('has pictures with a text alternative, generated from the sources', () => {
    const shown = PAGES.flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)].map(([, words, picture]) => ({
        words: words ?? '',
        source: join(dirname(page), picture ?? '')
          .replace(/\.svg$/, '.dot')
          .replace(/^docs\/plots\/(.+)\.dot$/, 'bench/measures/$1.mjs'),
      })),
    );
    expect(shown.length).toBeGreaterThan(2);
    expect(shown.filter(({ words, source }) => words.length < 20 || !existsSync(source))).toEqual([]);
  });

  it('measures picture labels in the widest common font, and sets no font', () => {
    const files = readdirSync('docs/pictures').map((name) => join('docs/pictures', name));
    const fonts = (ending: string, pattern: RegExp) => [
      ...new Set(
        files
          .filter((file) => file.endsWith(ending))
          .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, font]) => font)),
      ),
    ];
    expect(fonts('.dot', /fontname="([^"]+)"/g)).toEqual(['DejaVu Sans']);
    expect(fonts('.svg', /font-family="([^"]+)"/g)).toEqual([
      'Helvetica,Arial,Liberation Sans,DejaVu Sans,sans-serif',
    ]);
  });

  it('shows the floors that the rules of imports name in the architecture picture, and every workspace', () => {
    const rules = readFileSync('.dependency-cruiser.cjs', 'utf8');
    const floors = [...rules.matchAll(/name: '([^']+)',\s+rooms: \[([^\]]+)\]/g)].map(
      ([, name, rooms = '']) => [name, [...rooms.matchAll(/'(\w+)'/g)].map(([, room]) => room)] as const,
    );
    const picture = readFileSync('docs/pictures/house.dot', 'utf8');
    const rows = new Map(
      picture
        .split('<tr>')
        .map((row) => [
          /<font[^>]*>([^<]+)</.exec(row)?.[1],
          [...row.matchAll(/>([\w./-]+)<\/td>/g)].map(([, room]) => room),
        ]),
    );
    expect(floors.length).toBeGreaterThan(8);
    expect(floors.map(([name]) => [name, rows.get(name)])).toEqual(floors);
    const { workspaces } = JSON.parse(readFileSync('package.json', 'utf8')) as { workspaces: string[] };
    const drawn = [...rows.values()].flat();
    const undrawn = workspaces.filter((path) => !/^models\/|\/example$/.test(path) && !drawn.includes(path));
    expect(undrawn).toEqual([]);
  });

  it('names files and specs that exist where a change goes', () => {
    const rows = readFileSync('docs/project/architecture.md', 'utf8').match(
      /^\| .*\| .*npm run .*|^\| .*npx jest .*/gm,
    );
    const missing = (rows ?? []).flatMap((row) => {
      const [, , files = '', commands = ''] = row.split('|');
      const named = [...files.matchAll(/`([\w./-]+(?:\/|\.ts))`/g)].map(([, path = '']) => path);
      // A name without a folder is beside the path before it.
      let folder = '.';
      const paths = named.map((name) => {
        if (name.includes('/')) folder = name.endsWith('/') ? name : dirname(name);
        return name.includes('/') ? name : join(folder, name);
      });
      const specs = [...commands.matchAll(/npx jest ([^`]+)`/g)].flatMap(([, list = '']) => list.split(' '));
      return [
        ...paths.filter((path) => !existsSync(path) && !existsSync(join('src', path))),
        ...specs.filter((spec) => !SPECS.some((file) => file.startsWith(spec))),
      ];
    });
    expect(rows?.length).toBeGreaterThan(10);
    expect(missing).toEqual([]);
  });

  it('ingests each file once in the README tour: duplicates would return each passage twice', () => {
    const tour = /^## A tour[^]*?(?=^## )/m.exec(readFileSync('README.md', 'utf8'))?.[0] ?? '';
    const sent = [...tour.matchAll(/-F file=@(\S+)/g)].map(([, path = '']) => path);
    const brought = [...tour.matchAll(/lectern ingest (\S+)/g)].flatMap(([, folder = '']) =>
      readdirSync(folder).map((name) => join(folder, name)),
    );
    expect(sent.filter((path) => !existsSync(path))).toEqual([]);
    expect([sent.length, brought.length].map((count) => count > 0)).toEqual([true, true]);
    expect(sent.filter((path) => brought.includes(path))).toEqual([]);
  });

  it('has TypeScript examples that the client accepts', () => {
    const pages = ['docs/guide/frontend.md', 'clients/typescript/README.md', 'clients/react/README.md'];
    expect(typeErrorsOf(pages)).toBe('');
  }, 300_000);

  it('lists the tested clients with the installed versions', () => {
    const { dependencies } = JSON.parse(readFileSync('test/clients/package.json', 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    const python = readFileSync('test/clients/requirements.txt', 'utf8').matchAll(/^([\w-]+)==(\S+)$/gm);
    const ours = ['@lectern/client', 'typescript', 'zod'];
    const pinned = [
      ...[...python].map(([, name = '', version = '']) => `${name} ${version}`),
      ...Object.entries(dependencies)
        .filter(([name]) => !ours.includes(name))
        .map(([name, version]) => (version.startsWith('npm:') ? version.slice(4) : `${name}@${version}`))
        .map((client) => client.replace(/@(?=[^@]+$)/, ' ')),
    ];
    expect(pinned.length).toBeGreaterThan(15);
    const page = readFileSync('docs/guide/clients.md', 'utf8');
    expect(pinned.filter((client) => !page.includes(client))).toEqual([]);
  });

  it('has every page that the code refers to', () => {
    const folders = ['src', 'maintenance', 'cli/src', 'web/src', 'deploy', 'scripts', 'bench'];
    const sources = execFileSync('grep', ['-rhoE', 'docs/[a-z/-]+\\.md', ...folders], { encoding: 'utf8' });
    const named = [...new Set(sources.trim().split('\n'))];
    expect(named.filter((page) => !existsSync(page))).toEqual([]);
  });
});
