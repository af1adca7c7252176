import { ParseFailure } from '../parse-failure.js';
import { damaged, isEncrypted } from './archive.js';

interface Kind {
  /** Any of these streams identifies the kind of file. */
  readonly streams: readonly string[];
  readonly type: string;
  /** @param head start of the first stream */
  readonly isEncrypted?: (head: Buffer) => boolean;
}

const KINDS: readonly Kind[] = [
  { streams: ['WordDocument'], type: 'application/msword', isEncrypted: isEncryptedWord },
  { streams: ['Workbook', 'Book'], type: 'application/vnd.ms-excel', isEncrypted: isEncryptedExcel },
  { streams: ['PowerPoint Document'], type: 'application/vnd.ms-powerpoint' },
  { streams: ['__properties_version1.0'], type: 'application/vnd.ms-outlook' },
];

/** Streams of password-protected files of newer formats, and of presentations. */
const ENCRYPTED = ['EncryptedPackage', 'EncryptedSummary'];

/**
 * The document type of a compound file (MS-CFB), by its stream names: an Office file from before 2007, an Outlook
 * message, or a newer Office file with a password.
 *
 * @throws ParseFailure if the file is truncated, damaged, password-protected, or of an unsupported kind.
 */
export function compoundType(bytes: Uint8Array): string {
  const file = new CompoundFile(bytes);
  if (ENCRYPTED.some((name) => file.streams.has(name))) throw isEncrypted();
  for (const { streams, type, isEncrypted: isLocked } of KINDS) {
    const stream = streams.map((name) => file.streams.get(name)).find((entry) => entry !== undefined);
    if (stream === undefined) continue;
    if (isLocked?.(file.headOf(stream)) === true) throw isEncrypted();
    return type;
  }
  throw new ParseFailure(
    'The file has an old format that is neither Word, Excel, PowerPoint nor Outlook: save it as DOCX, XLSX, PPTX or PDF.',
    { defect: 'type' },
  );
}

/** Bit fEncrypted of the file information block (MS-DOC, section 2.5.2). */
function isEncryptedWord(block: Buffer): boolean {
  return block.length >= 12 && (block.readUInt16LE(10) & 0x0100) !== 0;
}

const FILE_PASS = 0x2f;

/** Whether one of the first records is a FilePass record (MS-XLS, section 2.4.117). */
function isEncryptedExcel(records: Buffer): boolean {
  for (let at = 0; at + 4 <= records.length; at += 4 + records.readUInt16LE(at + 2)) {
    if (records.readUInt16LE(at) === FILE_PASS) return true;
  }
  return false;
}

const HEADER = 512;
const ENTRY = 128;
const SMALL_SECTOR = 64;
/** First reserved sector number. Reserved numbers mark the end of a chain, free sectors and allocation tables. */
const FIRST_SPECIAL = 0xfffffffa;
const ADDRESSES_IN_HEADER = 109;

const STREAM = 2;
const ROOT = 5;

interface Entry {
  readonly name: string;
  readonly type: number;
  /** Siblings in the directory tree, and the root of the child tree. */
  readonly left: number;
  readonly right: number;
  readonly child: number;
  /** First sector of the content. */
  readonly start: number;
  readonly size: number;
}

/**
 * The directory of a compound file. Follows every chain once, to detect truncation. The package `cfb` (1.2.2) does not:
 * with one changed number in a sector table, it follows a circular chain until the process runs out of memory.
 */
class CompoundFile {
  /** Top-level streams by name. */
  readonly streams = new Map<string, Entry>();
  private readonly file: Buffer;
  private readonly sector: number;
  private readonly next: readonly number[];
  /** Container of small streams: the content of the root entry. */
  private readonly small: Buffer;
  private readonly claimed = new Set<number>();

  /** @throws ParseFailure if the file is truncated or damaged. */
  constructor(bytes: Uint8Array) {
    this.file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (this.file.length < HEADER) throw broken('the header is cut off');
    const shift = this.file.readUInt16LE(30);
    if (shift !== 9 && shift !== 12) throw broken('the size of its sectors is unknown');
    this.sector = 2 ** shift;
    this.next = this.tableSectors().flatMap((sector) => numbersIn(this.sectorAt(sector)));
    const entries = this.chain(this.file.readUInt32LE(48)).flatMap(entriesIn);
    const [root] = entries;
    if (root?.type !== ROOT) throw broken('it has no root');
    this.small = this.contentOf(root);
    for (const entry of entries) if (entry.type === STREAM && !this.isSmall(entry)) this.contentOf(entry);
    this.nameFrom(root.child, entries);
  }

  headOf(stream: Entry): Buffer {
    if (!this.isSmall(stream)) return this.sectorAt(stream.start);
    return this.small.subarray(stream.start * SMALL_SECTOR, (stream.start + 1) * SMALL_SECTOR);
  }

  private contentOf({ start, size }: Entry): Buffer {
    const content = Buffer.concat(this.chain(start));
    if (content.length < size) throw broken('a stream is shorter than its declared size');
    return content;
  }

  private isSmall({ size }: Entry): boolean {
    return size < this.file.readUInt32LE(56);
  }

  private sectorAt(index: number): Buffer {
    const start = (index + 1) * this.sector;
    if (start >= this.file.length) throw broken(`sector ${index} is missing`);
    return this.file.subarray(start, start + this.sector);
  }

  /** Locations of the sector allocation table: the first in the header, the rest in a chain. */
  private tableSectors(): number[] {
    const most = Math.ceil(this.file.length / this.sector / (this.sector / 4));
    const count = Math.min(this.file.readUInt32LE(44), most);
    const sectors = numbersIn(this.file.subarray(76, 76 + 4 * ADDRESSES_IN_HEADER));
    for (let more = this.file.readUInt32LE(68); more < FIRST_SPECIAL && sectors.length < count;) {
      const addresses = numbersIn(this.sectorAt(more));
      more = addresses.pop() ?? FIRST_SPECIAL;
      sectors.push(...addresses);
    }
    return sectors.slice(0, count).filter((sector) => sector < FIRST_SPECIAL);
  }

  /** The sectors of a chain. Each sector occurs only once in the file's chains. */
  private chain(start: number): Buffer[] {
    const sectors: Buffer[] = [];
    for (let at = start; at < FIRST_SPECIAL; at = this.next[at] ?? FIRST_SPECIAL) {
      if (this.claimed.has(at)) throw broken('its chains are circular');
      this.claimed.add(at);
      sectors.push(this.sectorAt(at));
    }
    return sectors;
  }

  /** Collects top-level names; a cyclic tree terminates because each entry is visited once. */
  private nameFrom(top: number, entries: readonly Entry[]): void {
    const found = new Set([top]);
    for (const index of found) {
      if (index >= FIRST_SPECIAL) continue;
      const entry = entries[index];
      if (entry === undefined) throw broken('its tree of names refers to a missing entry');
      this.streams.set(entry.name, entry);
      found.add(entry.left).add(entry.right);
    }
  }
}

function entriesIn(sector: Buffer): Entry[] {
  return Array.from({ length: Math.floor(sector.length / ENTRY) }, (_, index) => {
    const entry = sector.subarray(index * ENTRY, (index + 1) * ENTRY);
    const length = Math.max(0, Math.min(64, entry.readUInt16LE(64)) - 2);
    return {
      name: entry.toString('utf16le', 0, length),
      type: entry.readUInt8(66),
      left: entry.readUInt32LE(68),
      right: entry.readUInt32LE(72),
      child: entry.readUInt32LE(76),
      start: entry.readUInt32LE(116),
      size: entry.readUInt32LE(120),
    };
  });
}

function numbersIn(bytes: Buffer): number[] {
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readUInt32LE(index * 4));
}

function broken(what: string): Error {
  return damaged(new Error(`compound file: ${what}`));
}
