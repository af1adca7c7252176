import { posix } from 'node:path';
import { ParseFailure } from '../parse-failure.js';
import type { Source } from '../parser.js';
import type { Archive } from './archive.js';
import type { Relationship } from './office-open-xml.js';

/** Maximum number of embedded files that are read in one document. Each file may need a conversion. */
const MAX_FILES = 100;

/**
 * Types of relationships to imported parts of a text, to embedded Office documents, and to embedded objects of older
 * programs.
 */
const TYPES: ReadonlySet<string> = new Set(['aFChunk', 'package', 'oleObject']);

/** An embedded file in `additional_metadata`, with its type, or with the reason why it was not read. */
export type EmbeddedFile = { readonly filename: string; readonly size: number } & (
  { readonly content_type: string } | { readonly error: string }
);

/**
 * The files embedded in an Office document. Each file is read once. The document is read even if an embedded file
 * cannot be read.
 */
export class EmbeddedParts {
  private readonly texts = new Map<string, string>();
  private readonly found: EmbeddedFile[] = [];

  constructor(
    private readonly archive: Archive,
    private readonly parseInner: Source['parseInner'],
  ) {}

  /** The property that lists the embedded files; undefined when the document has no embedded files. */
  get properties(): { readonly embedded_files: readonly EmbeddedFile[] | undefined } {
    return { embedded_files: this.found.length === 0 ? undefined : this.found };
  }

  /** Texts of the embedded files of relationships, by relationship id. */
  async textsOf(relationships: readonly Relationship[]): Promise<Map<string, string>> {
    const texts = new Map<string, string>();
    for (const { id, type, target } of relationships) {
      if (!TYPES.has(type)) continue;
      const text = this.texts.get(target) ?? (await this.read(target));
      this.texts.set(target, text);
      if (text !== '') texts.set(id, text);
    }
    return texts;
  }

  private async read(target: string): Promise<string> {
    const bytes = await this.archive.bytes(target);
    if (bytes === undefined) return ''; // the file is linked, not embedded
    const filename = posix.basename(target);
    const size = bytes.byteLength; // read before parsing, because parsers may detach the bytes
    try {
      if (this.found.length >= MAX_FILES)
        throw new ParseFailure(`Only ${MAX_FILES} embedded files are read.`);
      const { text, contentType } = await this.parseInner(bytes, { filename, allowNoText: true });
      this.found.push({ filename, size, content_type: contentType });
      return text;
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error;
      this.found.push({ filename, size, error: error.message });
      return '';
    }
  }
}
