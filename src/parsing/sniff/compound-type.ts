import { isEncrypted } from '../archive/archive.js';
import { CompoundFile } from '../archive/compound-file.js';
import { ParseFailure } from '../parse-failure.js';

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
