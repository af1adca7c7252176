import { buffer } from 'node:stream/consumers';
import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl';
import { ParseFailure } from '../parse-failure.js';
import { decodeText } from '../sniff/decode-text.js';

/** Limits of the expanded archive. Real documents are far smaller. */
const MAX_ENTRIES = 20_000;
const MAX_EXPANDED = 512 * 2 ** 20;
const MAX_EXPANDED_TEXT = 128 * 2 ** 20;

/**
 * A ZIP archive, read part by part. Checks the declared sizes before it expands a part. No part expands beyond its
 * declared size.
 */
export class Archive {
  private constructor(
    private readonly zip: ZipFile,
    private readonly entries: ReadonlyMap<string, Entry>,
  ) {}

  /** @throws ParseFailure if the archive is truncated, encrypted, or would exceed the limits. */
  static async open(bytes: Uint8Array): Promise<Archive> {
    const entries = new Map<string, Entry>();
    try {
      const zip = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      let expanded = 0;
      for await (const entry of zip.eachEntry()) {
        expanded += entry.uncompressedSize;
        if (expanded > MAX_EXPANDED || entries.size >= MAX_ENTRIES) throw tooLarge();
        if (entry.isEncrypted()) throw isEncrypted();
        entries.set(entry.fileName, entry);
      }
      return new Archive(zip, entries);
    } catch (error) {
      throw error instanceof ParseFailure ? error : damaged(error);
    }
  }

  get names(): readonly string[] {
    return [...this.entries.keys()];
  }

  /** A part as text; undefined if missing. @throws ParseFailure if the part is damaged or too large. */
  async text(name: string): Promise<string | undefined> {
    const entry = this.entries.get(name);
    if (entry === undefined) return undefined;
    if (entry.uncompressedSize > MAX_EXPANDED_TEXT) throw tooLarge();
    const decoded = decodeText(await this.expand(entry));
    if (decoded === null) throw damaged(new Error(`${name} is not text`));
    return decoded.text;
  }

  /** A part as bytes; undefined if missing. @throws ParseFailure if the part is damaged. */
  async bytes(name: string): Promise<Uint8Array | undefined> {
    const entry = this.entries.get(name);
    return entry === undefined ? undefined : new Uint8Array(await this.expand(entry));
  }

  private async expand(entry: Entry): Promise<Buffer> {
    try {
      return await buffer(await this.zip.openReadStreamPromise(entry));
    } catch (error) {
      throw damaged(error);
    }
  }
}

function tooLarge(): ParseFailure {
  return new ParseFailure(
    'The file expands far beyond the size limit, like a decompression bomb: save its content as a smaller file.',
  );
}

export function isEncrypted(): ParseFailure {
  return new ParseFailure('The file is protected by a password: remove the protection and upload it again.', {
    defect: 'protected',
  });
}

export function damaged(cause: unknown): ParseFailure {
  return new ParseFailure(
    'The file is truncated or damaged: upload the whole file again, or save it again first.',
    { cause },
  );
}
