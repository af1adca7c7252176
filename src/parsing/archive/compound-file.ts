import { ParseFailure } from '../parse-failure.js';
import { damaged, isEncrypted } from './archive.js';

interface Kind {
  /** Its streams have one of these names. */
  readonly streams: readonly string[];
  readonly type: string;
  readonly isEncrypted: (file: CompoundFile) => boolean;
}

const KINDS: readonly Kind[] = [
  { streams: ['WordDocument'], type: 'application/msword', isEncrypted: isEncryptedWord },
  { streams: ['Workbook', 'Book'], type: 'application/vnd.ms-excel', isEncrypted: isEncryptedExcel },
  {
    streams: ['PowerPoint Document'],
    type: 'application/vnd.ms-powerpoint',
    isEncrypted: isEncryptedPowerPoint,
  },
  {
    streams: ['__properties_version1.0'],
    type: 'application/vnd.ms-outlook',
    isEncrypted: () => false,
  },
];

/**
 * What kind of document a compound file is, by the names of its streams.
 * @throws ParseFailure when it is damaged, under a password, or of no kind that can be read.
 */
export function compoundType(bytes: Uint8Array): string {
  const file = new CompoundFile(bytes);
  if (file.has('EncryptedPackage')) throw isEncrypted();
  const kind = KINDS.find(({ streams }) => streams.some((name) => file.has(name)));
  if (kind === undefined) {
    throw new ParseFailure(
      'The file is of an old format that is neither Word, Excel, PowerPoint nor Outlook: save it as DOCX, XLSX, PPTX or PDF.',
    );
  }
  if (kind.isEncrypted(file)) throw isEncrypted();
  return kind.type;
}

/** Bit fEncrypted of the file information block (MS-DOC, section 2.5.2). */
function isEncryptedWord(file: CompoundFile): boolean {
  const block = file.head('WordDocument', 12);
  return block.length === 12 && (block.readUInt16LE(10) & 0x0100) !== 0;
}

const FILE_PASS = 0x2f;
const FIRST_RECORDS = 4_096;

/** A record FilePass among the first (MS-XLS, section 2.4.117). */
function isEncryptedExcel(file: CompoundFile): boolean {
  const stream = file.head(file.has('Workbook') ? 'Workbook' : 'Book', FIRST_RECORDS);
  for (let at = 0; at + 4 <= stream.length; at += 4 + stream.readUInt16LE(at + 2)) {
    if (stream.readUInt16LE(at) === FILE_PASS) return true;
  }
  return false;
}

const ENCRYPTED_TOKEN = 0xf3d1c4df;

/** The header token of the current user (MS-PPT, section 2.3.2). */
function isEncryptedPowerPoint(file: CompoundFile): boolean {
  const user = file.head('Current User', 16);
  return file.has('EncryptedSummary') || (user.length === 16 && user.readUInt32LE(12) === ENCRYPTED_TOKEN);
}

const HEADER = 512;
const ENTRY = 128;
/** Numbers of sectors and entries from here on stand for the end, for free ones and for tables. */
const FIRST_SPECIAL = 0xfffffffa;
const ADDRESSES_IN_HEADER = 109;

const STORAGE = 1;
const STREAM = 2;
const ROOT = 5;

interface Entry {
  readonly name: string;
  readonly type: number;
  readonly left: number;
  readonly right: number;
  readonly child: number;
  readonly start: number;
  readonly size: number;
}

/**
 * A compound file (MS-CFB): the form of Office files from before 2007, of messages of Outlook, and of newer Office files
 * under a password. All of its chains and its tree of names are walked once when it is opened, so that neither this nor
 * a library that trusts them can be led in circles.
 */
class CompoundFile {
  private readonly file: Buffer;
  private readonly sector: number;
  private readonly next: readonly number[];
  private readonly nextSmall: readonly number[];
  private readonly entries: readonly Entry[];
  /** Sectors of the stream that holds all small streams. */
  private readonly small: readonly number[];
  private readonly streams = new Map<string, Entry>();

  /** @throws ParseFailure when it is cut off or damaged. */
  constructor(bytes: Uint8Array) {
    this.file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (this.file.length < HEADER) throw broken('the header is cut off');
    const shift = this.file.readUInt16LE(30);
    if (shift !== 9 && shift !== 12) throw broken('the size of its sectors is unknown');
    this.sector = 2 ** shift;
    this.next = this.tableSectors().flatMap((sector) => numbersIn(this.sectorAt(sector)));
    const claimed = new Set<number>();
    const chain = (start: number): number[] => this.chain(start, this.next, claimed);
    this.nextSmall = chain(this.file.readUInt32LE(60)).flatMap((sector) => numbersIn(this.sectorAt(sector)));
    this.entries = chain(this.file.readUInt32LE(48)).flatMap((sector) => this.entriesIn(sector));
    const [root] = this.entries;
    if (root?.type !== ROOT) throw broken('it has no root');
    this.small = chain(root.start);
    this.verifyStreams(chain);
    for (const entry of this.treeBelow(root)) this.streams.set(entry.name, entry);
  }

  /** Whether a stream or storage of that name is at the top. */
  has(name: string): boolean {
    return this.streams.has(name);
  }

  /** The first bytes of a stream at the top; empty when there is none. */
  head(name: string, length: number): Buffer {
    const entry = this.streams.get(name);
    if (entry?.type !== STREAM) return Buffer.alloc(0);
    const wanted = Math.min(length, entry.size);
    const parts: Buffer[] = [];
    const unit = this.isSmall(entry) ? SMALL_SECTOR : this.sector;
    const table = this.isSmall(entry) ? this.nextSmall : this.next;
    let at = entry.start;
    for (let have = 0; have < wanted; have += unit) {
      parts.push(this.isSmall(entry) ? this.smallSector(at) : this.sectorAt(at));
      at = table[at] ?? FIRST_SPECIAL;
    }
    return Buffer.concat(parts).subarray(0, wanted);
  }

  private isSmall({ size }: Entry): boolean {
    return size < this.file.readUInt32LE(56);
  }

  private sectorAt(index: number): Buffer {
    const start = (index + 1) * this.sector;
    if (start >= this.file.length) throw broken(`sector ${index} is missing`);
    return this.file.subarray(start, start + this.sector);
  }

  private smallSector(index: number): Buffer {
    const offset = index * SMALL_SECTOR;
    const sector = this.small[Math.floor(offset / this.sector)];
    if (sector === undefined) throw broken(`small sector ${index} is missing`);
    const within = offset % this.sector;
    return this.sectorAt(sector).subarray(within, within + SMALL_SECTOR);
  }

  /** Where the table of sectors is: the first addresses are in the header, the rest in a chain of their own. */
  private tableSectors(): number[] {
    const most = Math.ceil(this.file.length / this.sector / (this.sector / 4));
    const count = Math.min(this.file.readUInt32LE(44), most);
    const sectors = numbersIn(this.file.subarray(76, 76 + 4 * ADDRESSES_IN_HEADER));
    const visited = new Set<number>();
    let more = this.file.readUInt32LE(68);
    while (more < FIRST_SPECIAL && sectors.length < count) {
      if (visited.has(more)) throw broken('its tables go in circles');
      visited.add(more);
      const addresses = numbersIn(this.sectorAt(more));
      more = addresses.pop() ?? FIRST_SPECIAL;
      sectors.push(...addresses);
    }
    return sectors.slice(0, count).filter((sector) => sector < FIRST_SPECIAL);
  }

  /** Sectors from `start` to the end of the chain. A sector belongs to one chain, once. */
  private chain(start: number, table: readonly number[], claimed: Set<number>): number[] {
    const sectors: number[] = [];
    for (let at = start; at < FIRST_SPECIAL; at = table[at] ?? FIRST_SPECIAL) {
      if (claimed.has(at)) throw broken('its chains go in circles');
      claimed.add(at);
      sectors.push(at);
    }
    return sectors;
  }

  private entriesIn(sector: number): Entry[] {
    const bytes = this.sectorAt(sector);
    return Array.from({ length: Math.floor(bytes.length / ENTRY) }, (_, index) =>
      entryOf(bytes.subarray(index * ENTRY, (index + 1) * ENTRY)),
    );
  }

  private verifyStreams(chain: (start: number) => number[]): void {
    const claimedSmall = new Set<number>();
    for (const entry of this.entries) {
      if (entry.type !== STREAM || entry.size === 0) continue;
      const small = this.isSmall(entry);
      const sectors = small ? this.chain(entry.start, this.nextSmall, claimedSmall) : chain(entry.start);
      const unit = small ? SMALL_SECTOR : this.sector;
      if (sectors.length * unit < entry.size) throw broken('a stream is shorter than it says');
      for (const sector of sectors)
        if (small) this.smallSector(sector);
        else this.sectorAt(sector);
    }
  }

  /** What is at the top; the trees of names below are walked too. */
  private treeBelow(root: Entry): Entry[] {
    const visited = new Set<number>();
    const top: Entry[] = [];
    const waiting = [{ index: root.child, isTop: true }];
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      const { index, isTop } = one;
      if (index >= FIRST_SPECIAL) continue;
      const entry = this.entries[index];
      if (entry === undefined || visited.has(index)) throw broken('its tree of names goes in circles');
      visited.add(index);
      if (isTop) top.push(entry);
      waiting.push({ index: entry.left, isTop }, { index: entry.right, isTop });
      if (entry.type === STORAGE) waiting.push({ index: entry.child, isTop: false });
    }
    return top;
  }
}

const SMALL_SECTOR = 64;

function entryOf(bytes: Buffer): Entry {
  const length = Math.max(0, Math.min(64, bytes.readUInt16LE(64)) - 2);
  return {
    name: bytes.toString('utf16le', 0, length),
    type: bytes.readUInt8(66),
    left: bytes.readUInt32LE(68),
    right: bytes.readUInt32LE(72),
    child: bytes.readUInt32LE(76),
    start: bytes.readUInt32LE(116),
    size: bytes.readUInt32LE(120),
  };
}

function numbersIn(bytes: Buffer): number[] {
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readUInt32LE(index * 4));
}

function broken(what: string): Error {
  return damaged(new Error(`compound file: ${what}`));
}
