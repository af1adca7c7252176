import { randomBytes } from 'node:crypto';
import { encode } from 'iconv-lite';
import { declaredEncoding } from './declared-encoding.js';
import { decodeText } from './decode-text.js';

/** One or two sentences, as short as a small file. */
const TEXTS: readonly (readonly [string, string])[] = [
  ['windows-1250', 'Rada přístavu se schází každé úterý a čtvrtek. Loď čeká u mola.'],
  ['iso-8859-2', 'Rada portu zbiera się w każdy wtorek. Łódź czeka przy nabrzeżu, a dźwig śpi.'],
  ['cp852', 'Rada portu zbiera się w każdy wtorek. Łódź czeka przy nabrzeżu, a dźwig śpi.'],
  ['windows-1251', 'Совет гавани собирается каждый вторник.'],
  ['koi8-r', 'Совет гавани собирается каждый вторник.'],
  ['ibm866', 'Совет гавани собирается каждый вторник.'],
  ['x-mac-cyrillic', 'Совет гавани собирается каждый вторник, а краны стоят у причала.'],
  ['windows-1252', 'Der Hafenrat tagt täglich – „früh“ genug für die Boote.'],
  ['cp850', 'Der Hafenrat tagt jeden Dienstag früh, die Boote müssen für die Prüfung zurück.'],
  ['macintosh', 'Der Hafenrat tagt jeden Dienstag früh, die Boote müssen für die Prüfung zurück.'],
  ['windows-1253', 'Το συμβούλιο του λιμανιού συνεδριάζει κάθε Τρίτη.'],
  ['windows-1254', 'Liman kurulu her salı günü İstanbul’da toplanır; gemiler rıhtımda bekliyor.'],
  ['windows-1255', 'מועצת הנמל נפגשת בכל יום שלישי.'],
  ['iso-8859-8', 'מועצת הנמל נפגשת בכל יום שלישי.'],
  ['windows-1256', 'يجتمع مجلس الميناء كل يوم ثلاثاء.'],
  [
    'windows-1257',
    'Uosto taryba renkasi kiekvieną antradienį, o laivai laukia prie krantinės šešias dienas.',
  ],
  ['windows-874', 'สภาท่าเรือประชุมทุกวันอังคาร'],
  ['shift_jis', '港の評議会は毎週火曜日に開かれます。髙橋①'],
  ['euc-jp', '港の評議会は毎週火曜日に開かれます。'],
  ['gb18030', '港口委员会每个星期二在市政厅开会。'],
  ['big5', '港口委員會每個星期二在市政廳開會。'],
  ['euc-kr', '항만 위원회는 매주 화요일에 모입니다. 똠방각하'],
  ['utf-16le', 'Совет гавани собирается каждый вторник.\n'],
  ['utf-16be', '港の評議会は毎週火曜日に開かれます。\n'],
  ['utf-32le', 'Der Hafenrat tagt früh.\n'],
  ['utf-32be', 'Совет гавани собирается.\n'],
];

/** Encoding labels of iconv-lite where they differ. */
const ENCODERS: Readonly<Record<string, string>> = {
  shift_jis: 'cp932',
  'euc-kr': 'cp949',
  'x-mac-cyrillic': 'maccyrillic',
  'utf-16le': 'utf-16le',
};

const bytesIn = (encoding: string, text: string): Buffer =>
  encode(text, ENCODERS[encoding] ?? encoding, { addBOM: false });

describe('decodeText', () => {
  it.each(TEXTS)('reads a short text in %s', (encoding, text) => {
    expect(decodeText(bytesIn(encoding, text))).toMatchObject({ text, isGuessed: true, replaced: 0 });
  });

  it('composes the tone marks of Vietnamese', () => {
    const bytes = bytesIn(
      'windows-1258',
      'Hô\u0323i đồng cảng ho\u0323p mô\u0303i thứ ba.'
        .replace(/ồ/g, 'ô\u0300')
        .replace(/ả/g, 'a\u0309')
        .replace(/ứ/g, 'ư\u0301'),
    );
    expect(decodeText(bytes, 'windows-1258')?.text).toBe('Hội đồng cảng họp mỗi thứ ba.');
  });

  it('reads ISO-2022-JP', () => {
    const bytes = Buffer.from('\u001b$B9A$NI>5D2q\u001b(B\n', 'latin1');
    expect(decodeText(bytes)).toEqual({
      text: '港の評議会\n',
      encoding: 'iso-2022-jp',
      isGuessed: false,
      replaced: 0,
    });
  });

  it.each([
    [
      'an invalid byte',
      Buffer.concat([Buffer.from('Café in Köln '), Buffer.of(0xff)]),
      'Café in Köln \ufffd',
    ],
    [
      'an end inside a letter',
      Buffer.from('Das Café in Köln schließt. Straß').subarray(0, -1),
      'Das Café in Köln schließt. Stra\ufffd',
    ],
    [
      'Chinese that ends in a letter',
      Buffer.from('港口委员会每个星期二在市政厅开会。').subarray(0, -1),
      '港口委员会每个星期二在市政厅开会\ufffd',
    ],
  ])('keeps UTF-8 with %s', (_, bytes, text) => {
    expect(decodeText(bytes)).toEqual({ text, encoding: 'utf-8', isGuessed: false, replaced: 1 });
  });

  it.each([
    ['latin-1', 'windows-1252', 'é = Ä'],
    ['iso-latin-2-unix', 'iso-8859-2', 'Łódź'],
    ['latin-9', 'iso-8859-15', '5 €'],
    ['euc_jp', 'euc-jp', '港の評議会'],
  ])('reads the declaration %s of source code', (label, encoding, text) => {
    const code = `# -*- coding: ${label} -*-\n# ${text}\n`;
    expect(decodeText(bytesIn(encoding, code))).toEqual({
      text: code,
      encoding,
      isGuessed: false,
      replaced: 0,
    });
  });

  it('uses a declaration if every byte is valid in it', () => {
    const bytes = bytesIn('cp850', 'früh');
    expect(decodeText(bytes, 'cp850')).toMatchObject({ text: 'früh', isGuessed: false });
  });

  it.each([
    ['a wrong declaration', bytesIn('shift_jis', '港の評議会は毎週火曜日に'), 'euc-jp', 'shift_jis'],
    ['a byte order mark', Buffer.from('\ufefffrüh', 'utf8'), 'windows-1252', 'utf-8'],
    ['UTF-8', Buffer.from('früh, müde'), 'windows-1252', 'utf-8'],
  ])('prefers detection to the declared encoding: %s', (_, bytes, declared, encoding) => {
    expect(decodeText(bytes, declared)?.encoding).toBe(encoding);
  });

  it('finds the first letter beyond ASCII anywhere in the text', () => {
    const late = Buffer.concat([
      Buffer.alloc(200_000, 'harbour\n'),
      bytesIn('windows-1251', 'Совет гавани собирается каждый вторник.'),
    ]);
    expect(decodeText(late)?.text.slice(-18)).toBe('ся каждый вторник.');
  });

  it.each([64, 512, 4_096])('rejects %d random bytes', (length) => {
    const accepted = Array.from({ length: 20 }, () => decodeText(randomBytes(length))).filter(
      (decoded) => decoded !== null,
    );
    expect(accepted.length).toBeLessThan(5);
  });
});

describe('declaredEncoding', () => {
  it.each([
    ['<meta charset="koi8-r">', 'koi8-r'],
    [
      `<html><!-- ${'x'.repeat(9_000)} --><meta http-equiv=a content="text/html; charset=windows-1251">`,
      'windows-1251',
    ],
    ['<!-- <meta charset=koi8-r> --><meta charset=big5>', 'big5'],
    ['<?xml version="1.0" encoding="ISO-8859-2"?><a/>', 'iso-8859-2'],
    ['<meta charset="utf-16">', 'utf-8'],
    ['@charset "windows-1250";', 'windows-1250'],
    ['#!/usr/bin/python\n# -*- coding: cp1251 -*-\n', 'windows-1251'],
    ['<meta charset="none-such">', undefined],
    ['A text about <meta charset="koi8-r">', undefined],
  ])('finds in %s the encoding %s', (text, encoding) => {
    expect(declaredEncoding(Buffer.from(text))).toBe(encoding);
  });

  it('reads many unclosed tags in linear time', () => {
    expect(declaredEncoding(Buffer.from(`<${'<meta '.repeat(20_000)}`))).toBeUndefined();
  });
});
