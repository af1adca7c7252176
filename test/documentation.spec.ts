import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'clients/typescript/README.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

interface Link {
  readonly file: string;
  readonly anchor: string;
}

/** Links to files of this repository, relative to its root. */
function linksOf(page: string): Link[] {
  const targets = [...readFileSync(page, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor = ''] = target.split('#');
      return { file: path === '' ? page : join(dirname(page), path), anchor };
    });
}

/** The anchors that a Markdown viewer gives to the headings of a page. */
function anchorsOf(page: string): string[] {
  const headings = readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('the documentation', () => {
  it.each(PAGES)('%s links to nothing that is not there', (page) => {
    const broken = linksOf(page).filter(
      ({ file, anchor }) => !existsSync(file) || (anchor !== '' && !anchorsOf(file).includes(anchor)),
    );
    expect(broken).toEqual([]);
  });

  it('is reached from the README, page by page', () => {
    const linked = linksOf('README.md').map(({ file }) => file);
    expect(PAGES.filter((page) => page !== 'README.md' && !linked.includes(page))).toEqual([]);
  });

  it('has every page that the code speaks of', () => {
    const sources = execFileSync('grep', ['-rhoE', 'docs/[a-z-]+\\.md', 'src'], { encoding: 'utf8' });
    const named = [...new Set(sources.trim().split('\n'))];
    expect(named.filter((page) => !existsSync(page))).toEqual([]);
  });
});
