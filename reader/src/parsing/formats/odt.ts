import { Archive } from '../archive/archive.js';
import { markdownOfBlocks } from '../blocks.js';
import { lineOfMath } from '../math/mathml.js';
import { controlsOf } from '../open-document/forms.js';
import { ListStyles } from '../open-document/lists.js';
import { Story } from '../open-document/story.js';
import { TextStyles } from '../open-document/text-styles.js';
import { ParseFailure } from '../parse-failure.js';
import type { Parser } from '../parser.js';
import {
  attributeOf,
  descendants,
  element,
  parseXml,
  textOfChild,
  type XmlElement,
} from '../xml/xml-tree.js';

/** An OpenDocument text in printed order, followed by its comments. */
export const parseOdt: Parser = async ({ bytes }) => {
  const archive = await Archive.open(bytes);
  const source = await archive.text('content.xml');
  const content = source === undefined ? undefined : parseXml(source);
  const body = element(element(content, 'body'), 'text');
  if (content === undefined || body === undefined)
    throw new ParseFailure('The document has no text: save it again, then upload it.');
  const styles = await archive.text('styles.xml');
  const roots = styles === undefined ? [content] : [parseXml(styles), content];
  const story = new Story({
    texts: new TextStyles(roots),
    lists: new ListStyles(roots),
    controls: controlsOf(body),
    objects: await formulasOf(archive, body),
  });
  const blocks = story.blocksIn(body);
  return {
    text: markdownOfBlocks([...blocks, ...story.comments]),
    textType: 'text/markdown',
    properties: await propertiesOf(archive),
  };
};

/** Formulas among the embedded objects, by address. */
async function formulasOf(archive: Archive, body: XmlElement): Promise<ReadonlyMap<string, string>> {
  const formulas = new Map<string, string>();
  for (const object of descendants(body, 'object')) {
    const address = attributeOf(object, 'xlink', 'href') ?? '';
    if (formulas.has(address)) continue;
    const source = await archive.text(`${address.replace(/^\.\//, '')}/content.xml`);
    const root = source === undefined ? undefined : parseXml(source);
    if (root?.name === 'math') formulas.set(address, lineOfMath(root));
  }
  return formulas;
}

async function propertiesOf(archive: Archive): Promise<Record<string, unknown>> {
  const source = await archive.text('meta.xml');
  const meta = source === undefined ? undefined : element(parseXml(source), 'meta');
  const property = (name: string): string | undefined => textOfChild(meta, name);
  return {
    title: property('title'),
    author: property('creator') ?? property('initial-creator'),
    subject: property('subject'),
    description: property('description'),
    language: property('language'),
    created_at: property('creation-date'),
    modified_at: property('date'),
  };
}
