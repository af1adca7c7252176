import { encode } from 'iconv-lite';
import { DocumentReader } from './document-reader.js';
import { Readers } from './reader/readers.js';

const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64');
const mail = (...lines: (string | Buffer)[]): Buffer =>
  Buffer.concat(lines.map((line) => Buffer.concat([Buffer.from(line), Buffer.from('\r\n')])));
const FROM = 'From: a@quay.example';
const GERMAN = 'Der Kran heißt Größe.';

interface Sample {
  readonly name: string;
  readonly file: string | Buffer;
  readonly has: readonly string[];
  readonly lacks?: readonly string[];
}

const MESSAGES: Readonly<Record<string, Sample>> = {
  'a letter that is split over two words of a subject': {
    name: 'a.eml',
    file: mail(FROM, 'Subject: =?utf-8?b?R3LD?= =?utf-8?b?tsOfZQ==?=', 'Content-Type: text/plain', '', 'x'),
    has: ['Größe'],
  },
  'a subject in bytes of an undeclared encoding': {
    name: 'a.eml',
    file: mail(FROM, encode('Subject: Größe der Kräne', 'windows-1252'), 'Content-Type: text/plain', '', 'x'),
    has: ['Größe der Kräne'],
  },
  'UTF-8 that is declared as Latin': {
    name: 'a.eml',
    file: mail(
      FROM,
      'Content-Type: text/plain; charset=iso-8859-1',
      'Content-Transfer-Encoding: 8bit',
      '',
      GERMAN,
    ),
    has: [GERMAN],
  },
  'a declared encoding that does not exist': {
    name: 'a.eml',
    file: mail(
      FROM,
      'Content-Type: text/plain; charset=x-unknown',
      'Content-Transfer-Encoding: 8bit',
      '',
      encode(GERMAN, 'windows-1252'),
    ),
    has: [GERMAN],
  },
  'HTML whose own declaration contradicts the message': {
    name: 'a.eml',
    file: mail(
      FROM,
      'Content-Type: text/html; charset=utf-8',
      'Content-Transfer-Encoding: base64',
      '',
      base64(`<meta charset="iso-8859-1"><p>${GERMAN}</p>`),
    ),
    has: [GERMAN],
  },
  'a plain part that only names the HTML': {
    name: 'a.eml',
    file: mail(
      FROM,
      'Content-Type: multipart/alternative; boundary=x',
      '',
      '--x',
      'Content-Type: text/plain',
      '',
      'Your mail program does not support HTML. Please view this message in a browser.',
      '--x',
      'Content-Type: text/html',
      '',
      `<p>The crane on the northern quay lifts twelve tons from nine in the morning on every working day.</p><table><tr><td>Berth</td><td>41</td></tr><tr><td>Crane</td><td>90</td></tr></table>`,
      '--x--',
    ),
    has: ['lifts twelve tons', 'Berth | 41', 'Crane | 90'],
  },
  'a plain part of white space': {
    name: 'a.eml',
    file: mail(
      FROM,
      'Content-Type: multipart/alternative; boundary=x',
      '',
      '--x',
      'Content-Type: text/plain',
      '',
      '\u00a0 \t',
      '--x',
      'Content-Type: text/html',
      '',
      '<p>The crane lifts.</p>',
      '--x--',
    ),
    has: ['The crane lifts.'],
  },
  'an invitation in base64 beside a text': {
    name: 'a.eml',
    file: mail(
      FROM,
      'Content-Type: multipart/mixed; boundary=x',
      '',
      '--x',
      'Content-Type: text/plain',
      '',
      'Come.',
      '--x',
      'Content-Type: text/calendar; method=REQUEST; charset=utf-8',
      'Content-Transfer-Encoding: base64',
      '',
      base64(
        'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Prüfung des Krans\r\nLOCATION:Nordkai\r\nDTSTART:20260304T090000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
      ),
      '--x--',
    ),
    has: ['Come.', 'Prüfung des Krans', 'Nordkai'],
  },
  'a byte order mark and blank lines before the headers': {
    name: 'a.eml',
    file: mail('\ufeff', '', FROM, 'Subject: Crane', 'Content-Type: text/plain', '', 'It lifts.'),
    has: ['It lifts.', 'Crane'],
    lacks: ['Content-Type'],
  },
};

const DATA: Readonly<Record<string, Sample>> = {
  'a letter of two escapes': {
    name: 'a.json',
    file: String.raw`{"sign": "\ud83d\udea2 harbour", "n": 1}`,
    has: ['🚢 harbour'],
  },
  'an escaped name': { name: 'a.json', file: String.raw`{"Gr\u00f6\u00dfe": 12}`, has: ['Größe'] },
  'a backslash before a u': {
    name: 'a.json',
    file: String.raw`{"path": "C:\\u00fcbung"}`,
    has: [String.raw`\u00fcbung`],
    lacks: ['übung'],
  },
  'a half of a letter of two escapes': {
    name: 'a.json',
    file: String.raw`{"sign": "crane \ud83d end"}`,
    has: ['crane', 'end'],
  },
  'a long line of JSON lines': {
    name: 'a.jsonl',
    file: `${JSON.stringify({ text: 'x '.repeat(20_000) })}\n${String.raw`{"name": "M\u00fcller"}`}\n`,
    has: ['Müller'],
  },
  'JSON lines with a short line': {
    name: 'a.jsonl',
    file: `${String.raw`{"a": "\u706f\u53f0"}`}\n{"a": 1}\n`,
    has: ['灯台'],
  },
};

const TABLES: Readonly<Record<string, Sample>> = {
  'three header rows of a sheet': {
    name: 'a.csv',
    file: 'Berth,2023,,2024,\n,Q1,Q2,Q1,Q2\nNorth,41,42,43,44\nSouth,51,52,53,54\n',
    has: ['2023 Q1', '2023 Q2', '2024 Q1', '2024 Q2', 'North | 41 | 42 | 43 | 44'],
  },
  'a sheet with one header row and an empty cell below': {
    name: 'a.csv',
    file: 'Berth,Fee,Note\nNorth,41,\nSouth,42,new\n',
    has: ['Berth | Fee | Note', 'North | 41', 'South | 42 | new'],
    lacks: ['Fee 41'],
  },
};

describe('a rule that holds for every format', () => {
  const readers = new Readers();
  const reader = new DocumentReader(readers);
  afterAll(() => readers.close());

  it.each(Object.entries({ ...MESSAGES, ...DATA, ...TABLES }))('holds for %s', async (_, sample) => {
    const { document } = await reader.read(Uint8Array.from(Buffer.from(sample.file)), {
      filename: sample.name,
    });
    const text = document.text.slice();
    const { title = '', subject = '' } = document.properties as { title?: string; subject?: string };
    const all = [title, subject, text].join('\n');
    expect([all, sample.has.filter((part) => !all.includes(part))]).toEqual([all, []]);
    expect([all, (sample.lacks ?? []).filter((part) => all.includes(part))]).toEqual([all, []]);
  });
});
