import { Archive } from '../archive/archive.js';
import { EmbeddedParts } from '../archive/embedded-parts.js';
import { officeProperties } from '../archive/office-open-xml.js';
import { type Block, BlockWriter, markdownOfBlocks } from '../blocks.js';
import type { Parser } from '../parser.js';
import { parseXml, readChildren, type XmlElement } from '../xml/xml-tree.js';
import { withoutPageNumbers } from '../page-numbers.js';
import { printedMargins } from '../word/margins.js';
import { Notes } from '../word/notes.js';
import { Numbering } from '../word/numbering.js';
import { WordParts } from '../word/parts.js';
import { Story, type Surroundings } from '../word/story.js';
import { Styles } from '../word/styles.js';
import { attr } from '../word/word-xml.js';

/** A Word document in printed order, followed by notes, comments, and distinct headers and footers. */
export const parseDocx: Parser = async ({ bytes, parseInner }) => {
  const archive = await Archive.open(bytes);
  const parts = await WordParts.open(archive);
  const settings = await parts.tree('settings');
  const styles = new Styles(await parts.tree('styles'));
  const numbering = new Numbering(await parts.tree('numbering'), styles);
  const notes = new Notes(await parts.text('footnotes'), await parts.text('endnotes'), settings);
  const shared: Surroundings = { styles, numbering, notes };
  const foreign = await parts.drawings();
  const embedded = new EmbeddedParts(archive, parseInner);
  for (const [id, text] of await parts.embeddedTexts(embedded)) {
    foreign.set(id, [{ kind: 'paragraph', text }]);
  }

  const writer = new BlockWriter();
  const write = (blocks: readonly Block[]): void => {
    for (const block of blocks) writer.add(block);
  };
  const body = new Story(shared, foreign);
  readChildren(await parts.document(), 'body', (block) => {
    write(body.blocksOf(block));
  });
  for (const { label, content } of notes.referred) {
    write(labelled(`${label} `, new Story(shared, new Map()).blocksIn(content)));
  }
  const comments = await parts.text('comments');
  if (comments !== undefined) {
    readChildren(comments, 'comments', (comment) => {
      write(commentOf(comment, shared));
    });
  }
  for (const block of await marginsOf(parts, body.sections, settings, shared)) writer.add(block);
  return {
    text: writer.toString(),
    textType: 'text/markdown',
    properties: { ...(await officeProperties(archive)), ...embedded.properties },
  };
};

function commentOf(comment: XmlElement, shared: Surroundings): Block[] {
  const author = attr(comment, 'author') ?? '';
  const label = author === '' ? 'Comment: ' : `Comment (${author}): `;
  return labelled(label, new Story(shared, new Map()).blocksIn(comment));
}

/** Prepends a label to the first block. */
function labelled(label: string, [first, ...others]: readonly Block[]): Block[] {
  if (first === undefined) return [];
  return first.kind === 'table'
    ? [{ kind: 'paragraph', text: label.trim() }, first, ...others]
    : [{ kind: 'paragraph', text: `${label}${first.text}`.trim() }, ...others];
}

/** Headers and footers without duplicates. */
async function marginsOf(
  parts: WordParts,
  sections: readonly XmlElement[],
  settings: XmlElement | undefined,
  shared: Surroundings,
): Promise<Block[]> {
  const found = new Map<string, Block[]>();
  for (const id of printedMargins(sections, settings)) {
    const source = await parts.byId(id);
    if (source === undefined) continue;
    const blocks = new Story(shared, new Map(), true).blocksIn(parseXml(source)).map(withoutPageNumbers);
    const text = markdownOfBlocks(blocks);
    if (!found.has(text)) found.set(text, blocks);
  }
  return [...found.values()].flat();
}
