import { createHash, type Hash } from 'node:crypto';
import { isJsonObject } from '../../src/json/exact-json.js';
import { checkedHead, checkedHeader } from './export-header.js';
import {
  DamagedExport,
  MAGIC,
  RefusedExport,
  TotalsCount,
  type ExportHeader,
  type ExportTotals,
  type SectionHead,
} from './format.js';

const NEWLINE = 0x0a;

/** Maximum length of a line in bytes. The longest line is the header, which lists all tenants. */
const MAX_LINE = 256 * 1_024 * 1_024;

/** A section whose payload has not been read yet. */
export interface OpenSection {
  readonly head: SectionHead;
  /** Yields the payload, then compares its checksum. Callers must read the payload to its end. @throws DamagedExport */
  readonly payload: () => AsyncGenerator<Buffer>;
}

/** Maximum size of a section with rows in bytes; files have no maximum. PostgreSQL has no larger values. */
const MAX_ROWS_BYTES = 1_024 * 1_024 * 1_024;

/** Returns the payload of a section with rows. @throws DamagedExport; RefusedExport for one that is too large. */
export async function payloadOf({ head, payload }: OpenSection): Promise<Buffer> {
  if (head.bytes > MAX_ROWS_BYTES) throw new RefusedExport(`section ${head.section} is too large for rows`);
  const parts: Buffer[] = [];
  for await (const part of payload()) parts.push(part);
  return Buffer.concat(parts);
}

/** Reads the payload of a section and checks nothing but its checksum. @throws DamagedExport */
export async function skip({ payload }: OpenSection): Promise<void> {
  for await (const _ of payload()) continue;
}

/** Reads an export ({@link MAGIC}) and checks every checksum. Holds only a part of a section in memory at a time. */
export class ExportReader {
  private readonly source: AsyncIterator<Buffer>;
  private readonly total = createHash('sha256');
  private readonly count = new TotalsCount();
  private left: Buffer = Buffer.alloc(0);
  private at = 0;
  private isWhole = false;

  constructor(source: AsyncIterable<Buffer>) {
    this.source = source[Symbol.asyncIterator]();
  }

  /** @throws DamagedExport if the stream is not an export of this format; RefusedExport if the header is not valid. */
  async header(): Promise<ExportHeader> {
    const magic = await this.line(MAGIC.length).catch(() => undefined);
    if (magic !== MAGIC) {
      throw new DamagedExport(`it does not begin with "${MAGIC}"; this version reads no other format`, 0);
    }
    return checkedHeader(this.parsed(await this.line()));
  }

  /** The contents of the export. Available after the end of the export was checked. */
  get totals(): ExportTotals {
    if (!this.isWhole) throw new Error('the export was not read to its end');
    return this.count;
  }

  /**
   * Yields the sections in order. Checks the end of the export before it returns.
   * @throws DamagedExport; RefusedExport for a section that is neither a file nor rows.
   */
  async *sections(): AsyncGenerator<OpenSection, void> {
    for (;;) {
      const begun = this.at;
      const line = await this.line();
      const value = this.parsed(line);
      if (!isJsonObject(value)) throw new DamagedExport('the line of a section is not readable', begun);
      if (isJsonObject(value['end'])) {
        await this.checkEnd(value['end'], begun);
        return;
      }
      const head = checkedHead(value);
      this.checkHead(head, begun);
      const sum = createHash('sha256').update(`${line}\n`);
      const payload = this.payload(head, sum, begun);
      yield { head, payload: () => payload };
      if ((await payload.next()).done !== true) throw new Error('the payload of a section was not read');
      this.count.add(head, head.bytes);
    }
  }

  private checkHead({ section, bytes }: SectionHead, begun: number): void {
    const isNext = section === this.count.sections + 1;
    if (!isNext || !Number.isSafeInteger(bytes) || bytes < 0) {
      throw new DamagedExport('the line of a section is not readable', begun);
    }
  }

  private async *payload({ bytes }: SectionHead, sum: Hash, begun: number): AsyncGenerator<Buffer> {
    for (let missing = bytes; missing > 0;) {
      const part = await this.some(missing);
      sum.update(part);
      missing -= part.length;
      yield part;
    }
    const separator = await this.line(0);
    if (separator !== '' || (await this.sum()) !== sum.digest('hex')) {
      throw new DamagedExport('the SHA-256 of a section does not match its content', begun);
    }
  }

  private async checkEnd(end: Readonly<Record<string, unknown>>, begun: number): Promise<void> {
    const expected = this.total.copy().digest('hex');
    if ((await this.sum()) !== expected || end['sections'] !== this.count.sections) {
      throw new DamagedExport('the SHA-256 of the export does not match its content', begun);
    }
    const { done } = this.left.length > 0 ? { done: false } : await this.source.next();
    if (done !== true) throw new DamagedExport('it continues after its end', this.at);
    this.count.missingFiles = Number(end['missingFiles']);
    this.isWhole = true;
  }

  private async sum(): Promise<unknown> {
    const line = this.parsed(await this.line());
    return typeof line === 'object' && line !== null && 'sha256' in line ? line.sha256 : undefined;
  }

  private parsed(line: string): unknown {
    try {
      return JSON.parse(line);
    } catch {
      throw new DamagedExport('a line is not JSON', this.at - Buffer.byteLength(line) - 1);
    }
  }

  /** Returns the next line without its line end. @param limit maximum length in bytes */
  private async line(limit = MAX_LINE): Promise<string> {
    const begun = this.at;
    const parts: Buffer[] = [];
    for (let length = 0; ;) {
      const end = (await this.filled()).indexOf(NEWLINE);
      const part = this.taken(end === -1 ? this.left.length : end + 1);
      length += part.length;
      if (length > limit + 1) throw new DamagedExport('a line is too long', begun);
      parts.push(part);
      if (end !== -1) return Buffer.concat(parts).toString('utf8', 0, length - 1);
    }
  }

  /** Returns between one and `limit` of the next bytes. */
  private async some(limit: number): Promise<Buffer> {
    const { length } = await this.filled();
    return this.taken(Math.min(length, limit));
  }

  private async filled(): Promise<Buffer> {
    while (this.left.length === 0) {
      const next = await this.source.next();
      if (next.done === true) throw new DamagedExport('it ends too early', this.at);
      this.left = next.value;
    }
    return this.left;
  }

  private taken(length: number): Buffer {
    const part = this.left.subarray(0, length);
    this.left = this.left.subarray(length);
    this.at += length;
    this.total.update(part);
    return part;
  }
}
