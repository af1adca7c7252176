import { SaxesParser } from 'saxes';
import { ParseFailure } from '../parse-failure.js';
import { XmlEntities } from './xml-entities.js';

/** An element with its children in order; names are local, without their namespace prefix. */
export interface XmlElement {
  readonly name: string;
  /** With their prefixes, which tell two of the same local name apart: `r:id` stands beside `id`. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlNode[];
}

export type XmlNode = XmlElement | string;

/** Documents nest some dozens of levels deep; what nests further was made to exhaust whoever reads it. */
const MAX_LEVELS = 512;

/**
 * Parses XML. Of a document type only entities with a value count, within bounds; unknown entities stay as they are written.
 * @throws ParseFailure when it is not well-formed, or nested more than {@link MAX_LEVELS} levels deep.
 */
export function parseXml(text: string): XmlElement {
  const tree = new TreeBuilder();
  readXml(text, tree);
  const [element] = elements(tree.root);
  if (element === undefined) throw new ParseFailure('The XML has no element: upload the whole file.');
  return element;
}

/**
 * Calls `found` with each child element of the elements named `parent`, and keeps one child at a time. For parts of a
 * document that are too large to be held as one tree.
 * @throws ParseFailure as {@link parseXml}
 */
export function readChildren(text: string, parent: string, found: (child: XmlElement) => void): void {
  let tree: TreeBuilder | undefined;
  readXml(text, {
    open(name, attributes) {
      if (tree !== undefined) tree.open(name, attributes);
      else if (name === parent) tree = new TreeBuilder();
    },
    text(content) {
      tree?.text(content);
    },
    close() {
      if (tree === undefined) return;
      if (tree.depth === 0) tree = undefined;
      else {
        tree.close();
        if (tree.depth === 0) tree.root.children.splice(0).filter(isXmlElement).forEach(found);
      }
    },
  });
}

/** An element whose children are still read. */
interface OpenElement extends XmlElement {
  readonly children: XmlNode[];
}

class TreeBuilder implements XmlReader {
  readonly root: OpenElement = { name: '', attributes: {}, children: [] };
  private readonly opened: OpenElement[] = [];
  private parent = this.root;

  get depth(): number {
    return this.opened.length;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (this.opened.length >= MAX_LEVELS) {
      throw new ParseFailure(
        `The XML is nested more than ${MAX_LEVELS} levels deep: flatten it, or upload its text.`,
      );
    }
    const element = { name, attributes: { ...attributes }, children: [] };
    this.parent.children.push(element);
    this.opened.push(this.parent);
    this.parent = element;
  }

  text(content: string): void {
    this.parent.children.push(content);
  }

  close(): void {
    this.parent = this.opened.pop() ?? this.root;
  }
}

export interface XmlReader {
  /** `name` is local, attributes are with their prefixes. */
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  text(content: string): void;
  close(name: string): void;
}

/**
 * Reads XML from its beginning to its end and keeps nothing; entities as {@link parseXml}.
 * @throws ParseFailure when it is not well-formed.
 */
export function readXml(text: string, reader: XmlReader): void {
  const parser = new SaxesParser();
  const entities = new XmlEntities();
  const standard = parser.ENTITIES;
  parser.ENTITIES = new Proxy(standard, {
    get: (_, name) => (typeof name === 'string' ? (standard[name] ?? entities.textOf(name)) : undefined),
  });
  parser.on('doctype', (documentType) => {
    entities.declare(documentType);
  });
  parser.on('opentag', ({ name, attributes }) => {
    reader.open(localName(name), attributes);
  });
  parser.on('closetag', ({ name }) => {
    reader.close(localName(name));
  });
  parser.on('text', (content) => {
    reader.text(content);
  });
  parser.on('cdata', (content) => {
    reader.text(content);
  });
  parser.on('error', (error) => {
    throw new ParseFailure(
      `The XML is not well-formed (${placeOf(error)}): correct it and upload it again.`,
      {
        cause: error,
      },
    );
  });
  parser.write(text).close();
}

/** Children that are elements, those named `name` only when given. */
export function elements(parent: XmlElement, name?: string): XmlElement[] {
  return parent.children.filter(
    (child): child is XmlElement => isXmlElement(child) && (name === undefined || child.name === name),
  );
}

export function isXmlElement(node: XmlNode): node is XmlElement {
  return typeof node !== 'string';
}

/** The first child element of that name. */
export function element(parent: XmlElement | undefined, name: string): XmlElement | undefined {
  return parent?.children.find((child): child is XmlElement => isXmlElement(child) && child.name === name);
}

/**
 * The attribute of that local name, whatever prefix the document binds to its namespace. `prefix` is the usual one, and
 * the first choice where two attributes differ by their prefix alone.
 */
export function attributeOf({ attributes }: XmlElement, prefix: string, name: string): string | undefined {
  const usual = attributes[`${prefix}:${name}`];
  if (usual !== undefined) return usual;
  const found = Object.keys(attributes).find((key) => localName(key) === name);
  return found === undefined ? undefined : attributes[found];
}

/** Elements of that name at any depth, in the order of the document. */
export function descendants(parent: XmlElement, name: string): XmlElement[] {
  return elements(parent).flatMap((child) => [
    ...(child.name === name ? [child] : []),
    ...descendants(child, name),
  ]);
}

export function textOf(node: XmlNode): string {
  return typeof node === 'string' ? node : node.children.map(textOf).join('');
}

/** The text of the first child of that name; undefined when there is none. */
export function textOfChild(parent: XmlElement | undefined, name: string): string | undefined {
  const found = element(parent, name);
  return found === undefined ? undefined : textOf(found);
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function placeOf(error: Error): string {
  const [, line, column, reason] = /^(\d+):(\d+): (.*?)\.?$/s.exec(error.message) ?? [];
  return line === undefined ? error.message : `line ${line}, column ${column ?? ''}: ${reason ?? ''}`;
}
