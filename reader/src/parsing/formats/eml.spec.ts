import { encode } from 'iconv-lite';
import { DocumentReader } from '../document-reader.js';
import type { ParsedDocument } from '../parser.js';
import { Readers } from '../reader/readers.js';

const HEAD = 'From: a@pier.example\r\nTo: b@pier.example\r\nMIME-Version: 1.0\r\n';
const GERMAN = 'Die Größe der Lampe über dem Hafen ist geprüft.';
const RUSSIAN = 'Размер лампы над портом проверен, и смотритель доволен.';
const JAPANESE = '灯台の点検についてのお知らせです。';
const CHINESE = '灯塔的检查通知已经发给所有的码头管理员。';

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

/** A message of one text part. */
function message(headers: string, body: Buffer): Buffer {
  return Buffer.concat([latin1(`${HEAD}${headers}\r\n\r\n`), body]);
}

function parts(type: string, ...each: readonly (readonly [string, Buffer])[]): Buffer {
  return Buffer.concat([
    latin1(`${HEAD}Subject: x\r\nContent-Type: ${type}; boundary="b 1"\r\n\r\n`),
    ...each.flatMap(([headers, body]) => [latin1(`--b 1\r\n${headers}\r\n\r\n`), body, latin1('\r\n')]),
    latin1('--b 1--\r\n'),
  ]);
}

/** Parses in a separate process, as the service does. */
describe('a message', () => {
  const readers = new Readers();
  const reader = new DocumentReader(readers);
  afterAll(() => readers.close());

  async function parse(bytes: Uint8Array, filename = 'a.eml'): Promise<ParsedDocument> {
    const { document } = await reader.read(Uint8Array.from(bytes), { filename });
    return { ...document, text: document.text.slice() };
  }

  const bodyOf = async (bytes: Uint8Array): Promise<string> =>
    (await parse(bytes)).text.split('\n\n').slice(1).join('\n\n');

  const declared = (charset: string, transfer = '8bit'): string =>
    `Subject: x\r\nContent-Type: text/plain${charset === '' ? '' : `; charset=${charset}`}\r\nContent-Transfer-Encoding: ${transfer}`;

  it.each([
    ['UTF-8 that is declared as KOI8-R', message(declared('koi8-r'), Buffer.from(GERMAN)), GERMAN],
    ['UTF-8 that is declared as GB2312', message(declared('gb2312'), Buffer.from(CHINESE)), CHINESE],
    [
      'UTF-8 that is declared as an unknown charset',
      message(declared('x-unknown'), Buffer.from(GERMAN)),
      GERMAN,
    ],
    [
      'UTF-8 in base64 that is declared as ISO-8859-1',
      message(declared('"ISO-8859-1"', 'base64'), latin1(Buffer.from(GERMAN).toString('base64'))),
      GERMAN,
    ],
    [
      'UTF-8 in quoted-printable that is declared as ASCII',
      message(declared('us-ascii', 'quoted-printable'), latin1('Die Gr=C3=B6=C3=9Fe der=\r\n Lampe')),
      'Die Größe der Lampe',
    ],
    [
      'Windows-1252 that is declared as UTF-8',
      message(declared('utf-8'), encode(GERMAN, 'windows-1252')),
      GERMAN,
    ],
    [
      'Windows-1251 that is declared as ASCII',
      message(declared('us-ascii'), encode(RUSSIAN, 'windows-1251')),
      RUSSIAN,
    ],
    ['KOI8-R that is declared as such', message(declared('koi8-r'), encode(RUSSIAN, 'koi8-r')), RUSSIAN],
    ['Shift JIS without a declaration', message(declared(''), encode(JAPANESE, 'shift_jis')), JAPANESE],
    ['GBK that is declared as GB2312', message(declared('gb2312'), encode(CHINESE, 'gbk')), CHINESE],
    [
      'UTF-16 in base64',
      message(declared('utf-16le', 'base64'), latin1(Buffer.from(GERMAN, 'utf16le').toString('base64'))),
      GERMAN,
    ],
    [
      'Windows-1252 punctuation that is declared as ISO-8859-1',
      message(declared('iso-8859-1'), latin1('Der \x84Kran\x93 hebt.')),
      'Der „Kran“ hebt.',
    ],
    [
      'parts in two encodings',
      parts(
        'multipart/mixed',
        ['Content-Type: text/plain; charset=utf-8', encode(GERMAN, 'windows-1252')],
        ['Content-Type: text/plain; charset=windows-1252', Buffer.from(RUSSIAN)],
      ),
      `${GERMAN}\n\n${RUSSIAN}`,
    ],
    [
      'HTML that is declared as ASCII',
      parts('multipart/alternative', [
        'Content-Type: text/html; charset=us-ascii',
        Buffer.from(`<p>${GERMAN}</p>`),
      ]),
      GERMAN,
    ],
    [
      'a message in a message',
      parts('multipart/mixed', [
        'Content-Type: message/rfc822',
        message('Subject: inner\r\nContent-Type: text/plain; charset=ascii', Buffer.from(GERMAN)),
      ]),
      GERMAN,
    ],
    [
      'text that continues its lines (format=flowed)',
      message(
        'Subject: x\r\nContent-Type: text/plain; charset=utf-8; format=flowed',
        encode('Die Größe \r\nder Lampe', 'windows-1252'),
      ),
      'Die Größe der Lampe',
    ],
  ])('is decoded by the rules of text files: %s', async (_, bytes, expected) => {
    expect(await bodyOf(bytes)).toContain(expected);
  });

  it('decodes an attached text by the declared encoding', async () => {
    const bytes = parts(
      'multipart/mixed',
      ['Content-Type: text/plain', latin1('See below.')],
      [
        'Content-Type: text/plain; charset=koi8-r; name="a.txt"\r\nContent-Disposition: attachment; filename="a.txt"',
        encode('Порт', 'koi8-r'),
      ],
    );
    expect(await bodyOf(bytes)).toBe('See below.\n\n## Attachment: a.txt\n\nПорт\n');
  });

  it('names the encodings that are not UTF-8 in the record', async () => {
    const { properties } = await parse(message(declared(''), encode(RUSSIAN, 'windows-1251')));
    expect(properties).toMatchObject({ encoding: 'windows-1251', encoding_guessed: true });
    const { properties: plain } = await parse(message(declared('utf-8'), Buffer.from(RUSSIAN)));
    expect(plain).not.toHaveProperty('encoding');
  });

  it.each([
    [
      'raw bytes in the charset of the body',
      Buffer.concat([
        encode('Subject: Проверка лампы\r\n', 'koi8-r'),
        latin1(`${HEAD}Content-Type: text/plain; charset=koi8-r\r\n\r\n`),
        encode(RUSSIAN, 'koi8-r'),
      ]),
      'Subject: Проверка лампы',
    ],
    [
      'raw bytes in the charset of a part',
      Buffer.concat([
        encode('Subject: Проверка лампы\r\n', 'windows-1251'),
        parts('multipart/mixed', [
          'Content-Type: text/plain; charset=windows-1251\r\nContent-Transfer-Encoding: base64',
          latin1(encode(RUSSIAN, 'windows-1251').toString('base64')),
        ]),
      ]),
      'Subject: Проверка лампы',
    ],
    [
      'raw bytes without any declaration',
      Buffer.concat([
        encode('Subject: Prüfung\r\n', 'windows-1252'),
        message('', encode(GERMAN, 'windows-1252')),
      ]),
      'Subject: Prüfung',
    ],
    ['raw UTF-8', message('Subject: Prüfung'.replace('ü', '\xc3\xbc'), latin1('x')), 'Subject: Prüfung'],
    [
      'a letter divided between two quoted words',
      message('Subject: =?utf-8?Q?Pr=C3?=\r\n =?utf-8?Q?=BCfung?= heute', latin1('x')),
      'Subject: Prüfung heute',
    ],
    [
      'a letter divided between words of two kinds',
      message('Subject: =?UTF-8?Q?Pr=C3?= =?utf-8?B?vGZ1bmc=?=', latin1('x')),
      'Subject: Prüfung',
    ],
    [
      'a letter divided in a name',
      message('Cc: =?utf-8?B?SsM=?= =?utf-8?B?vHJnZW4=?= <j@pier.example>', latin1('x')),
      'Cc: Jürgen <j@pier.example>',
    ],
    [
      'a word in UTF-8 that is declared as ISO-8859-1',
      message('Subject: =?iso-8859-1?Q?Pr=C3=BCfung_1?=', latin1('x')),
      'Subject: Prüfung 1',
    ],
    [
      'words in two encodings',
      message('Subject: =?iso-8859-1?Q?Pr=FCfung_?= =?koi8-r?B?8M/S1A==?=', latin1('x')),
      'Subject: Prüfung Порт',
    ],
    [
      'a word with a language',
      message('Subject: =?utf-8*de?Q?Pr=C3=BCfung?=', latin1('x')),
      'Subject: Prüfung',
    ],
    [
      'a question that looks like a word',
      message('Subject: what =?? really?=', latin1('x')),
      'Subject: what =?? really?=',
    ],
  ])('has headers with %s', async (_, bytes, expected) => {
    expect((await parse(bytes)).text.split('\n')).toContain(expected);
  });

  it('reads the name of an attachment with a divided letter', async () => {
    const bytes = parts('multipart/mixed', [
      'Content-Type: text/plain\r\nContent-Disposition: attachment; filename="=?utf-8?Q?Pr=C3?=\r\n =?utf-8?Q?=BCfung.txt?="',
      latin1('Lamp.'),
    ]);
    expect((await parse(bytes)).text).toContain('## Attachment: Prüfung.txt');
  });

  it.each(['\ufeff', '\r\n\r\n', '\ufeff\n \n\n'])('may have %j before its header', async (lead) => {
    const bytes = Buffer.concat([Buffer.from(lead), message('Subject: x', latin1('The lamp.'))]);
    for (const filename of ['a.eml', 'a']) {
      expect((await parse(bytes, filename)).text).toBe(
        'From: a@pier.example\nTo: b@pier.example\nSubject: x\n\nThe lamp.',
      );
    }
  });

  const alternative = (plain: string, html: string): Buffer =>
    parts(
      'multipart/alternative',
      ['Content-Type: text/plain; charset=utf-8', Buffer.from(plain)],
      ['Content-Type: text/html; charset=utf-8', Buffer.from(html)],
    );

  it.each([
    [
      'a stub',
      'Your mail program cannot show HTML.',
      '<p>The fee is 41 crowns a week.</p>',
      'The fee is 41 crowns a week.',
    ],
    ['blank', ' \r\n\u00a0', '<p>The fee is 41.</p>', 'The fee is 41.'],
    [
      'the beginning',
      'Dear keepers, the lamp',
      '<p>Dear keepers, the lamp is lit at dusk, and the oil is brought on Mondays.</p>',
      'Dear keepers, the lamp is lit at dusk, and the oil is brought on Mondays.',
    ],
    [
      'the beginning, in Japanese',
      '灯台の点検',
      `<p>${JAPANESE}明日は休みです。</p>`,
      `${JAPANESE}明日は休みです。`,
    ],
    [
      'without the rows of a table',
      'Pier\r\nFee\r\nNorth\r\n41\r\nSouth\r\n42',
      '<table><tr><th>Pier<th>Fee<tr><td>North<td>41<tr><td>South<td>42</table>',
      '| Pier | Fee |\n| --- | --- |\n| North | 41 |\n| South | 42 |',
    ],
  ])('is read by its HTML if the plain text is %s', async (_, plain, html, expected) => {
    expect(await bodyOf(alternative(plain, html))).toBe(expected);
  });

  it.each([
    [
      'says the same',
      'The fee is 41. See https://pier.example/a',
      '<p>The fee is <a href="/a">41</a>. <img alt=""></p>',
    ],
    ['is only a signature', 'The lamp is lit at dusk. '.repeat(9).trim(), '<p>Sent with PierMail</p>'],
    ['is blank', 'The fee is 41.', '<html><body></body></html>'],
  ])('is read by its plain text if the HTML %s', async (_, plain, html) => {
    expect(await bodyOf(alternative(plain, html))).toBe(plain);
  });

  const CALENDAR = [
    'BEGIN:VCALENDAR',
    'BEGIN:VTIMEZONE',
    'TZID:Europe/Oslo',
    'END:VTIMEZONE',
    'BEGIN:VEVENT',
    'DTSTART;TZID=Europe/Oslo:20240405T090000',
    'DTEND;TZID=Europe/Oslo:20240405T103000',
    'SUMMARY:Pier inspection\\, part 1',
    'LOCATION;LANGUAGE=en:North pier\\; gate 2',
    'ORGANIZER;CN="Holm, Ada":mailto:ada@pier.example',
    'DESCRIPTION:Bring the keys and the oil can and the li',
    ' st of the lamps.\\nThe boat leaves at 8.',
    'BEGIN:VALARM',
    'DESCRIPTION:Reminder',
    'END:VALARM',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n');
  const EVENT = [
    'Summary: Pier inspection, part 1',
    'Start: 2024-04-05 09:00 (Europe/Oslo)',
    'End: 2024-04-05 10:30 (Europe/Oslo)',
    'Location: North pier; gate 2',
    'Organizer: Holm, Ada <ada@pier.example>',
    'Description: Bring the keys and the oil can and the list of the lamps.',
    'The boat leaves at 8.',
  ].join('\n');

  it('keeps time and place of an invitation, once', async () => {
    const bytes = parts(
      'multipart/mixed',
      ['Content-Type: text/plain', latin1('You are invited.')],
      ['Content-Type: text/calendar; method=REQUEST; charset=utf-8', latin1(CALENDAR)],
      [
        'Content-Type: application/ics; name="invite.ics"\r\nContent-Disposition: attachment; filename="invite.ics"\r\nContent-Transfer-Encoding: base64',
        latin1(latin1(CALENDAR).toString('base64')),
      ],
    );
    expect(await bodyOf(bytes)).toBe(`You are invited.\n\n## Attachment: invite.ics\n\n${EVENT}`);
  });

  it('reads an invitation alone', async () => {
    for (const filename of ['a.ics', 'a']) {
      expect(await parse(latin1(CALENDAR), filename)).toMatchObject({
        contentType: 'text/calendar',
        text: EVENT,
        properties: { title: 'Pier inspection, part 1' },
      });
    }
  });

  it('reads a calendar of several entries', async () => {
    const calendar =
      'BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:One\nDTSTART;VALUE=DATE:20240405\nEND:VEVENT\nBEGIN:VTODO\nSUMMARY:Two\nDUE:20240406T100000Z\nEND:VTODO\nEND:VCALENDAR\n';
    expect((await parse(latin1(calendar), 'a.ics')).text).toBe(
      '## One\n\nSummary: One\nStart: 2024-04-05\n\n## Two\n\nSummary: Two\nDue: 2024-04-06 10:00 UTC',
    );
  });
});
