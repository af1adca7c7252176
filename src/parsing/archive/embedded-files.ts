import { posix } from 'node:path';
import { ParseFailure } from '../parse-failure.js';
import type { Source } from '../parser.js';
import type { Archive } from './archive.js';
import type { Relationship } from './office-open-xml.js';

/** Files that one document may embed; more are named in its properties and not read. */
const MAX_FILES = 20;

/** An embedded file that could not be read. */
interface Unread {
  readonly filename: string;
  readonly error: string;
}

/** Documents embedded in an Office document. Those that cannot be read leave their reason. */
export class EmbeddedFiles {
  readonly unread: Unread[] = [];
  private count = 0;

  constructor(
    private readonly archive: Archive,
    private readonly parseInner: Source['parseInner'],
  ) {}

  /** The text of the file that a relationship points to; empty when it points to none, or to one that cannot be read. */
  async textOf({ type, target }: Relationship): Promise<string> {
    if (type !== 'package' && type !== 'oleObject') return '';
    const filename = posix.basename(target);
    try {
      if (this.count >= MAX_FILES) throw new ParseFailure(`Only ${MAX_FILES} embedded files are read.`);
      this.count += 1;
      const bytes = await this.archive.bytes(target);
      if (bytes === undefined) return ''; // linked, not embedded
      const { text } = await this.parseInner(bytes, { filename: null });
      return text;
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error;
      this.unread.push({ filename, error: error.message });
      return '';
    }
  }
}
