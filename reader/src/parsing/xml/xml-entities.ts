import { parseFragment } from 'parse5';
import { ParseFailure } from '../parse-failure.js';

/** Entity declarations in an internal document type. External files are never read. */
const DECLARATION =
  /<!ENTITY\s{1,20}([\w.:-]{1,100})\s{1,20}(?:"([^"]{0,10000})"|'([^']{0,10000})')\s{0,20}>/g;
const REFERENCE = /&(#x?[0-9a-f]{1,8}|[\w.:-]{1,100});/gi;

/** Maximum nesting of entities. Documents need one or two levels. */
const MAX_LEVELS = 8;

/** Maximum size of all expanded entities of a document. */
const MAX_CHARACTERS = 10_000_000;

/** Expands entities of the document type and of HTML. Other entities remain unexpanded. */
export class XmlEntities {
  private readonly declared = new Map<string, string>();
  private readonly known = new Map<string, string>();
  private characters = 0;

  declare(documentType: string): void {
    for (const [, name = '', double, single] of documentType.matchAll(DECLARATION)) {
      if (!this.declared.has(name)) this.declared.set(name, double ?? single ?? '');
    }
  }

  /** @throws ParseFailure for an entity expansion attack. */
  textOf(name: string, level = 0): string {
    const value = this.declared.get(name);
    const text = value === undefined || level >= MAX_LEVELS ? this.ofHtml(name) : value;
    this.characters += text.length + 1;
    if (this.characters > MAX_CHARACTERS) {
      throw new ParseFailure(
        `The entities of the XML expand to more than ${MAX_CHARACTERS} characters: upload its text.`,
      );
    }
    return value === undefined || level >= MAX_LEVELS
      ? text
      : text.replace(REFERENCE, (_, inner: string) => this.textOf(inner, level + 1));
  }

  private ofHtml(name: string): string {
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const [node] = parseFragment(`&${name};`).childNodes;
    const text = node !== undefined && 'value' in node ? node.value : `&${name};`;
    this.known.set(name, text);
    return text;
  }
}
