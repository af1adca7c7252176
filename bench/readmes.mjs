import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { randomSource } from './random-source.mjs';

const PACKAGES = fileURLToPath(new URL('../node_modules', import.meta.url));
const SHORTEST = 150;
const LONGEST = 900;
const LEAST_WORDS_OF_HEADING = 3;
const NAME = /^[\p{L}\p{N}_.$@-]+$/u;
const EDGES = /^[.\-$@]+|[.\-$@]+$/g;

/**
 * Reads paragraphs of the README files of all installed packages, and two kinds of questions with a known paragraph as
 * the answer. A heading is answered by the first paragraph below it. A name in backticks is answered by the only
 * paragraph that contains it. The service was not tuned on these files.
 * @returns `passages` ({ id, text }), `headings` and `names` ({ text, passage })
 */
export function readReadmes(most) {
  const passages = new Map(); // ids by text
  const headings = [];
  for (const file of readmeFiles()) {
    for (const { heading, text } of paragraphs(readFileSync(file, 'utf8'))) {
      if (text.length < SHORTEST || text.length > LONGEST || passages.has(text)) continue;
      passages.set(text, `passage-${passages.size}`);
      if (heading.split(/\s+/).length >= LEAST_WORDS_OF_HEADING)
        headings.push({ text: heading, passage: passages.get(text) });
    }
  }
  return {
    passages: Array.from(passages, ([text, id]) => ({ id, text })),
    headings: some(onlyOnce(headings), most),
    names: some(namesIn(passages), most),
  };
}

function readmeFiles() {
  return readdirSync(PACKAGES)
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(PACKAGES, name)).map((each) => join(name, each)) : [name],
    )
    .map((name) =>
      ['README.md', 'readme.md', 'Readme.md']
        .map((file) => join(PACKAGES, name, file))
        .find((file) => existsSync(file)),
    )
    .filter((file) => file !== undefined)
    .sort();
}

/** Yields paragraphs in plain text. The first paragraph below a heading includes the heading. */
function* paragraphs(markdown) {
  let heading = '';
  for (const block of markdown.replace(/```[\s\S]*?```/g, '').split(/\n\s*\n|\n(?=#)/)) {
    heading = plain(/^#+\s+(.+)/m.exec(block)?.[1] ?? heading);
    const text = plain(block.replace(/^#+.*$/gm, ''));
    if (text === '') continue;
    yield { heading, text };
    heading = '';
  }
}

function plain(markdown) {
  return markdown
    .replace(/<[^>]+>/g, ' ')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
}

function onlyOnce(headings) {
  const counts = new Map();
  for (const { text } of headings) counts.set(text, (counts.get(text) ?? 0) + 1);
  return headings.filter(({ text }) => counts.get(text) === 1);
}

function namesIn(passages) {
  const holding = new Map(); // the passages that contain each word
  for (const [text, id] of passages) {
    for (const word of text.match(/[\p{L}\p{N}_.$@-]+/gu) ?? []) {
      const key = word.replace(EDGES, '').toLowerCase();
      holding.set(key, (holding.get(key) ?? new Set()).add(id));
    }
  }
  const names = [];
  for (const [text, passage] of passages) {
    for (const [, quoted] of text.matchAll(/`([^`\s]{5,40})`/g)) {
      const name = quoted.replace(/\(.*\)$/, '').replace(EDGES, '');
      if (NAME.test(name) && holding.get(name.toLowerCase())?.size === 1) names.push({ text: name, passage });
    }
  }
  return names;
}

/** Returns the same sample in every run. */
function some(list, most) {
  const random = randomSource(7);
  return list
    .map((each) => [random(), each])
    .sort(([one], [other]) => one - other)
    .slice(0, most)
    .map(([, each]) => each);
}
