import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * PDFs of docling's tests with their Markdown, which people have checked.
 *
 * @param checkout folder of github.com/docling-project/docling
 * @returns `{ name, bytes, blocks }` of each file, in the form of compare.mjs
 */
export function doclingFiles(checkout) {
  const folder = join(checkout, 'tests', 'data', 'pdf');
  const [sources, truths] = [join(folder, 'sources'), join(folder, 'groundtruth')];
  if (!existsSync(sources) || !existsSync(truths))
    throw new Error(`${checkout} has no tests/data/pdf: BENCH_DOCLING names a checkout of docling.`);
  return readdirSync(sources)
    .filter((name) => name.endsWith('.pdf'))
    .sort()
    .flatMap((name) => {
      const truth = join(truths, name.replace(/\.pdf$/, '.md'));
      if (!existsSync(truth)) return [];
      return [
        { name, bytes: readFileSync(join(sources, name)), blocks: blocksOf(readFileSync(truth, 'utf8')) },
      ];
    });
}

const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"' };

function blocksOf(markdown) {
  return markdown
    .replace(/<!--.*?-->/gs, '')
    .replace(/&(amp|lt|gt|quot);/g, (_, name) => ENTITIES[name])
    .replaceAll('\\_', '_')
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s*\|[\s|:-]*\|\s*$/.test(line))
    .map((line) =>
      line.trim().startsWith('|') ? { cells: line.trim().slice(1, -1).split('|') } : { text: line },
    );
}
