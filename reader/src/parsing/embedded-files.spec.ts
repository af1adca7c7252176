import { randomBytes } from 'node:crypto';
import { withoutEmbeddedFiles } from './embedded-files.js';

const FILE = randomBytes(3_000).toString('base64');
const wrapped = (width: number, end = '\n'): string =>
  FILE.match(new RegExp(`.{1,${width}}`, 'g'))?.join(end) ?? '';

const textOf = (text: string): string => withoutEmbeddedFiles(text).text;

describe('a text without its embedded files', () => {
  it.each([
    ['a picture in Markdown', `![plan](data:image/png;base64,${FILE})`, '![plan](data:image/png)'],
    ['a short picture', '![dot](data:image/gif;base64,R0lGODlhAQABAAAAACw=) it', '![dot](data:image/gif) it'],
    ['a picture by reference', `[plan]: data:image/png;base64,${FILE}\nText`, '[plan]: data:image/png\nText'],
    [
      'a font of a style sheet',
      `src: url("data:font/woff2;charset=utf-8;base64,${FILE}")`,
      'src: url("data:font/woff2;charset=utf-8")',
    ],
    ['a picture with escapes', `<data:image/png;base64,${FILE}%3D> it`, '<data:image/png> it'],
    [
      'a drawing in quotation marks',
      `a "data:image/svg+xml;utf8,<svg x='1'> <g/></svg>" b`,
      'a "data:image/svg+xml;utf8" b',
    ],
    [
      'a drawing in a string',
      String.raw`"a \"data:image/svg+xml,<svg/> x\" b"`,
      String.raw`"a \"data:image/svg+xml\" b"`,
    ],
    [
      'a drawing as the URL of a picture',
      '![x](data:image/svg+xml,%3Csvg%20) b',
      '![x](data:image/svg+xml) b',
    ],
    ['a JSON value', `{"image": "${FILE}", "name": "Quay"}`, '{"image": "…", "name": "Quay"}'],
    ['a JSON value over several lines', `{"image": "${wrapped(76, '\\n')}\\n"}`, '{"image": "…\\n"}'],
    ['lines of 76', `Before\n\n${wrapped(76)}\n\nAfter`, 'Before\n\n…\n\nAfter'],
    ['indented lines', `<b>${wrapped(64, '\n    ')}\n</b>`, '<b>…\n</b>'],
    [
      'a certificate',
      `-----BEGIN CERTIFICATE-----\r\n${wrapped(64, '\r\n')}\r\n-----END`,
      '-----BEGIN CERTIFICATE-----\r\n…\r\n-----END',
    ],
    ['lines after a URL', `url(data:image/png;base64,\n${wrapped(76)})`, 'url(data:image/png;base64,\n…)'],
  ])('omits %s', (_, text, expected) => {
    expect(textOf(text)).toBe(expected);
  });

  it.each([
    ['a hash', 'sha512-' + randomBytes(64).toString('base64')],
    ['hexadecimal digits', randomBytes(3_000).toString('hex')],
    ['a gene', 'GATTACA'.repeat(1_000)],
    ['lists of hashes', Array.from({ length: 100 }, () => randomBytes(32).toString('hex')).join('\n')],
    ['a key', `ssh-rsa ${randomBytes(279).toString('base64')} me`],
    ['a list of words', 'Donaudampfschiff\nQuay\nBerth7\n'.repeat(1_000)],
    ['a rule', `${'-'.repeat(5_000)}\n${'='.repeat(5_000)}\n${'_'.repeat(5_000)}`],
    ['a text in a data: URL', 'data:text/plain,Hello and data:, and data:image/png'],
    ['a word before a colon', 'The data:base64 format; base64, as it is.'],
    ['no text', ''],
  ])('keeps %s', (_, text) => {
    expect(withoutEmbeddedFiles(text)).toEqual({ text, files: 0, characters: 0 });
  });

  it('counts the omitted files', () => {
    expect(withoutEmbeddedFiles(`![a](data:image/png;base64,${FILE}) ${FILE}`)).toMatchObject({
      files: 2,
      characters: 2 * FILE.length + ';base64,'.length,
    });
  });

  it.each([
    ['unclosed URLs', 'data:'.repeat(400_000)],
    ['headers without content', 'data:image/png;base64,'.repeat(100_000)],
    ['unclosed quotations', String.raw`\"data:image/a,`.repeat(100_000)],
    ['other quotations', `"data:image/a,${String.raw`\"`.repeat(400_000)}`],
    ['unclosed media types', `data:${'a'.repeat(2_000_000)}`],
    ['long lines', `${'aB3'.repeat(30)}\n`.repeat(20_000)],
    ['short lines', `${'aB3'.repeat(15)}\n`.repeat(40_000)],
    ['spaces', `${'aB3'.repeat(30)}\n${' '.repeat(100)}`.repeat(10_000)],
  ])('reads %s in linear time', (_, text) => {
    expect(textOf(text).length).toBeLessThanOrEqual(text.length);
  });
});
