import { SaxesParser } from 'saxes';
import { ParseFailure } from '../parse-failure.js';
import { XmlEntities } from './xml-entities.js';

/** An element with its children in order; names have no namespace prefix. */
export interface XmlElement {
  readonly name: string;
  /** Names include prefixes, because local names are ambiguous. For example, an element can have `id` and `r:id`. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlNode[];
}

export type XmlNode = XmlElement | string;

/** Maximum nesting depth. Real documents have some dozens of levels; deeper documents are attacks. */
const MAX_LEVELS = 512;

/**
 * Parses XML. Expands internal entities of the document type, within bounds, and ignores the rest of the document type.
 * Unknown entities remain unexpanded.
 *
 * @throws ParseFailure if the text is not well-formed, or nested deeper than {@link MAX_LEVELS} levels.
 */
export function parseXml(text: string): XmlElement {
  const tree = new TreeBuilder();
  readXml(text, tree);
  const [element] = elements(tree.root);
  if (element === undefined) throw new ParseFailure('The XML has no element: upload the whole file.');
  return element;
}

/**
 * Calls `found` with each child of the elements named `parent`. Keeps one child at a time in memory, for parts that are
 * too large for a tree.
 *
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

/** An element that is not closed yet. */
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
  /** `name` is local; attributes keep their prefixes. */
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  text(content: string): void;
  close(name: string): void;
}

/**
 * Streams XML without building a tree. Expands entities like {@link parseXml}.
 *
 * @throws ParseFailure if the text is not well-formed.
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

/** Child elements. With `name`, only the child elements that have this name. */
export function elements(parent: XmlElement, name?: string): XmlElement[] {
  return parent.children.filter(
    (child): child is XmlElement => isXmlElement(child) && (name === undefined || child.name === name),
  );
}

export function isXmlElement(node: XmlNode): node is XmlElement {
  return typeof node !== 'string';
}

export function element(parent: XmlElement | undefined, name: string): XmlElement | undefined {
  return parent?.children.find((child): child is XmlElement => isXmlElement(child) && child.name === name);
}

/**
 * Returns the attribute with a local name and any prefix. `prefix` selects one of several attributes that differ only
 * in the prefix.
 */
export function attributeOf({ attributes }: XmlElement, prefix: string, name: string): string | undefined {
  const usual = attributes[`${prefix}:${name}`];
  if (usual !== undefined) return usual;
  const found = Object.keys(attributes).find((key) => localName(key) === name);
  return found === undefined ? undefined : attributes[found];
}

/** Elements with a name at any depth, in document order. */
export function descendants(parent: XmlElement, name: string): XmlElement[] {
  return elements(parent).flatMap((child) => [
    ...(child.name === name ? [child] : []),
    ...descendants(child, name),
  ]);
}

export function textOf(node: XmlNode): string {
  return typeof node === 'string' ? node : node.children.map(textOf).join('');
}

/** Text of the first child with a name; undefined if there is none. */
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
