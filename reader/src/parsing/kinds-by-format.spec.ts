import { spawnSync } from 'node:child_process';
import { strToU8, zipSync } from 'fflate';
import { encode } from 'iconv-lite';
import { docx, p, r } from '../../../test/support/word-document.js';
import { CODE_FORMATS, FORMATS } from '../formats.js';
import { DocumentReader } from './document-reader.js';
import { Readers } from './reader/readers.js';

/** The kinds of content for which one rule holds in every format. */
const KINDS = [
  'a superscript, as 10^6',
  'struck text, marked or left out',
  'two header rows, as 2023 Q1',
  'letters in another encoding than UTF-8, as Größe',
  'an escaped letter, as Müller',
] as const;

/** A sample of a kind; or why the format has no such content. */
type Entry = { readonly file: string | Uint8Array } | { readonly none: string };

const EXPECTED: readonly ((text: string) => boolean)[] = [
  (text) => text.includes('10^6'),
  (text) => text.includes('due') && text.includes('June') && !/(?<!~~)May(?!~~)/.test(text),
  (text) => /Berth \| (?:2023 Q1) \| 2023 Q2/.test(text) && text.includes('North | 41 | 42'),
  (text) => text.includes('Die Größe der Lampe über dem Hafen ist geprüft.'),
  (text) => text.includes('Müller'),
];

const none = (reason: string): Entry => ({ none: reason });
const file = (content: string | Uint8Array): Entry => ({ file: content });
const zip = (parts: Readonly<Record<string, string>>): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])));

const GERMAN = 'Die Größe der Lampe über dem Hafen ist geprüft.';
const latin = (before: string, after = ''): Uint8Array =>
  encode(`${before}${GERMAN}${after}`, 'windows-1252');

const ROWS = 'Berth,2023,\n,Q1,Q2\nNorth,41,42\n';
const TABLE =
  '<table><tr><th rowspan=2>Berth</th><th colspan=2>2023</th></tr><tr><th>Q1</th><th>Q2</th></tr><tr><td>North</td><td>41</td><td>42</td></tr></table>';
const mail = (type: string, body: string | Uint8Array, transfer = '8bit'): Uint8Array =>
  Buffer.concat([
    Buffer.from(
      `From: a@pier.example\nTo: b@pier.example\nSubject: x\nContent-Type: ${type}\nContent-Transfer-Encoding: ${transfer}\n\n`,
    ),
    Buffer.from(body),
  ]);

const NO_STYLES = 'the format has no styles of characters';
const NO_TABLES = 'the format has no tables';
const NO_ESCAPES = 'the format has no escapes of letters';
const UNICODE = 'the format is always Unicode';
const AS_WRITTEN = 'the text is kept as its author wrote it';

const cell = (place: string, text: string): string => `<c r="${place}" t="inlineStr"><is>${text}</is></c>`;
const workbook = (rows: string, merged = '', styles = ''): Uint8Array =>
  zip({
    'xl/workbook.xml':
      '<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Fees" sheetId="1" r:id="a"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows}</sheetData>${merged}${styles}</worksheet>`,
  });

const grid = (cells: string): string => `<w:tr>${cells}</w:tr>`;
const wordCell = (text: string, properties = ''): string =>
  `<w:tc><w:tcPr>${properties}</w:tcPr>${p(r(text))}</w:tc>`;
const WORD_TABLE = `<w:tbl>${grid(wordCell('Berth', '<w:vMerge w:val="restart"/>') + wordCell('2023', '<w:gridSpan w:val="2"/>'))}${grid(
  wordCell('', '<w:vMerge/>') + wordCell('Q1') + wordCell('Q2'),
)}${grid(wordCell('North') + wordCell('41') + wordCell('42'))}</w:tbl>`;

const rtf = (body: string): Entry => file(`{\\rtf1\\ansi\\deff0{\\fonttbl{\\f0 Arial;}} ${body}\\par}`);

/** In other formats a spec beside the parser builds the samples. */
const BESIDE: Readonly<Record<string, string>> = {
  'application/pdf': 'a page has positions of characters, not kinds of text (pdf/)',
  'application/epub+zip': 'its chapters are read as text/html',
  'application/vnd.ms-outlook': 'its texts are read as those of message/rfc822',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'formats/pptx.spec.ts',
  'application/vnd.oasis.opendocument.text': 'formats/odt.spec.ts',
};

const TEXT = [none(AS_WRITTEN), none(AS_WRITTEN), none(AS_WRITTEN), file(latin('')), none(AS_WRITTEN)];
const SUBTITLES = [none(NO_STYLES), none(NO_STYLES), none(NO_TABLES)];

/** One line for each format, in the order of the kinds. */
const LINES: Readonly<Record<string, { readonly name: string; readonly kinds: readonly Entry[] }>> = {
  'text/plain': { name: 'a.txt', kinds: TEXT },
  'text/markdown': { name: 'a.md', kinds: TEXT },
  'text/html': {
    name: 'a.html',
    kinds: [
      file('<p>10<sup>6</sup> cells</p>'),
      file('<p>due <s>May</s> June</p>'),
      file(TABLE),
      file(latin('<meta charset="windows-1252"><p>')),
      file('<p>M&uuml;ller</p>'),
    ],
  },
  'text/calendar': {
    name: 'a.ics',
    kinds: [
      none(NO_STYLES),
      none(NO_STYLES),
      none(NO_TABLES),
      file(latin('BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:', '\nEND:VEVENT\nEND:VCALENDAR\n')),
      none(NO_ESCAPES),
    ],
  },
  'text/vtt': {
    name: 'a.vtt',
    kinds: [...SUBTITLES, file(latin('WEBVTT\n\n00:01.000 --> 00:02.000\n')), none(NO_ESCAPES)],
  },
  'application/x-subrip': {
    name: 'a.srt',
    kinds: [...SUBTITLES, file(latin('1\n00:00:01,000 --> 00:00:02,000\n')), none(NO_ESCAPES)],
  },
  'text/csv': {
    name: 'a.csv',
    kinds: [none(NO_STYLES), none(NO_STYLES), file(ROWS), file(latin('a,b\n1,')), none(NO_ESCAPES)],
  },
  'text/tab-separated-values': {
    name: 'a.tsv',
    kinds: [
      none(NO_STYLES),
      none(NO_STYLES),
      file(ROWS.replaceAll(',', '\t')),
      file(latin('a\tb\n1\t')),
      none(NO_ESCAPES),
    ],
  },
  'application/json': {
    name: 'a.json',
    kinds: [
      none(NO_STYLES),
      none(NO_STYLES),
      none(NO_TABLES),
      none(UNICODE),
      file('{"name": "M\\u00fcller"}'),
    ],
  },
  'application/x-ndjson': {
    name: 'a.jsonl',
    kinds: [
      none(NO_STYLES),
      none(NO_STYLES),
      none(NO_TABLES),
      none(UNICODE),
      file('{"name": "M\\u00fcller"}\n{}\n'),
    ],
  },
  'application/x-ipynb+json': {
    name: 'a.ipynb',
    kinds: [
      none(AS_WRITTEN),
      none(AS_WRITTEN),
      none(AS_WRITTEN),
      none(UNICODE),
      file('{"nbformat": 4, "cells": [{"cell_type": "markdown", "source": ["M\\u00fcller"]}]}'),
    ],
  },
  'application/xml': {
    name: 'a.xml',
    kinds: [
      none(NO_STYLES),
      none(NO_STYLES),
      none(NO_TABLES),
      file(latin('<?xml version="1.0" encoding="windows-1252"?><a>', '</a>')),
      file('<?xml version="1.0"?><a>M&#252;ller</a>'),
    ],
  },
  'message/rfc822': {
    name: 'a.eml',
    kinds: [
      file(mail('text/html', '<p>10<sup>6</sup> cells</p>')),
      file(mail('text/html', '<p>due <s>May</s> June</p>')),
      file(mail('text/html', TABLE)),
      file(mail('text/plain; charset=us-ascii', latin(''))),
      file(mail('text/plain; charset=utf-8', 'M=C3=BCller', 'quoted-printable')),
    ],
  },
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': {
    name: 'a.docx',
    kinds: [
      file(docx(p(r('10') + r('6', '<w:vertAlign w:val="superscript"/>')))),
      file(docx(p(r('due ') + r('May', '<w:strike/>') + r(' June')))),
      file(docx(WORD_TABLE)),
      none(UNICODE),
      file(docx(p('<w:r><w:t>M&#252;ller</w:t></w:r>'))),
    ],
  },
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': {
    name: 'a.xlsx',
    kinds: [
      file(
        workbook(
          `<row r="1">${cell('A1', '<r><t>10</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>6</t></r>')}</row>`,
        ),
      ),
      none('a struck cell keeps its value, which formulas use'),
      file(
        workbook(
          `<row r="1">${cell('A1', '<t>Berth</t>')}${cell('B1', '<t>2023</t>')}</row>` +
            `<row r="2">${cell('B2', '<t>Q1</t>')}${cell('C2', '<t>Q2</t>')}</row>` +
            `<row r="3">${cell('A3', '<t>North</t>')}${cell('B3', '<t>41</t>')}${cell('C3', '<t>42</t>')}</row>`,
          '<mergeCells><mergeCell ref="A1:A2"/><mergeCell ref="B1:C1"/></mergeCells>',
        ),
      ),
      none(UNICODE),
      file(workbook(`<row r="1">${cell('A1', '<t>M_x00FC_ller</t>')}</row>`)),
    ],
  },
};

/** Formats that LibreOffice converts first. */
const CONVERTED: typeof LINES = {
  'application/rtf': {
    name: 'a.rtf',
    kinds: [
      rtf('10{\\super 6} cells'),
      rtf('due {\\strike May} June'),
      none('its tables have no merged header cells of their own: they are read as those of DOCX'),
      file(
        encode(`{\\rtf1\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0 Arial;}} ${GERMAN}\\par}`, 'windows-1252'),
      ),
      rtf("M\\'fcller"),
    ],
  },
};

describe('the rules of every kind of content, by format', () => {
  const readers = new Readers();
  const reader = new DocumentReader(readers);
  afterAll(() => readers.close());

  it('has an entry of LINES for each format: a sample or a reason for each kind', () => {
    const own = FORMATS.filter(
      (format) =>
        !CODE_FORMATS.includes(format) && format.parser !== 'image' && format.convertedTo === undefined,
    ).map(({ type }) => type);
    expect([...Object.keys(LINES), ...Object.keys(BESIDE)].sort()).toEqual(own.sort());
    for (const { kinds } of [...Object.values(LINES), ...Object.values(CONVERTED)]) {
      expect(kinds).toHaveLength(KINDS.length);
    }
  });

  const samples = (formats: typeof LINES): [string, string, string | Uint8Array, number][] =>
    Object.entries(formats).flatMap(([type, { name, kinds }]) =>
      kinds.flatMap((entry, index): [string, string, string | Uint8Array, number][] =>
        'file' in entry ? [[`${KINDS[index] ?? ''} in ${type}`, name, entry.file, index]] : [],
      ),
    );

  async function check(name: string, content: string | Uint8Array, index: number): Promise<void> {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : Uint8Array.from(content);
    const { document } = await reader.read(bytes, { filename: name });
    const text = document.text.slice();
    expect([text, EXPECTED[index]?.(text)]).toEqual([text, true]);
  }

  it.each(samples(LINES))('holds for %s', async (_, name, content, index) => {
    await check(name, content, index);
  });

  const isInstalled = spawnSync('soffice', ['--version']).status === 0;
  (isInstalled ? it : it.skip).each(samples(CONVERTED))('holds for %s', async (_, name, content, index) => {
    await check(name, content, index);
  });
});
