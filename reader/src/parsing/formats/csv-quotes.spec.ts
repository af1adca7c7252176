import Papa from 'papaparse';
import { escapeStrayQuotes } from './csv-quotes.js';

const rowsOf = (text: string, delimiter = ','): string[][] =>
  Papa.parse<string[]>(escapeStrayQuotes(text, delimiter), { delimiter, newline: '\n' }).data;

describe('quotes in comma-separated values', () => {
  it.each([
    ['are not needed', 'a,b\n1,2'],
    ['enclose delimiters', 'a,b\n"1,5",2'],
    ['enclose line ends', 'a,b,c\n1,"two\nlines",3\n4,5,6'],
    ['enclose escaped quotes', 'a,b\n"a ""b"" c",2\n"""",""\n"",""""""'],
    ['precede spaces', 'a,b\n"1" ,2'],
    ['are inside a field', 'a,b\n5" pipe,2'],
    ['enclose many lines', `a,b,c\n1,"${'a line, with commas\n'.repeat(5_000)}",3\n4,5,6`],
    ['enclose lines that look like rows', 'a,b\n1,"x,y\nz,w"\n2,3'],
    ['enclose lines in the only column', 'text\n"one\ntwo"\nthree'],
    ['enclose lines of a row that is too short', 'a,b,c\n1,"two\nlines"\n4,5,6'],
    ['are beside semicolons', 'a;b\n"1;5";"2\n3"\n'],
  ])('are kept if they %s', (_, text) => {
    expect(escapeStrayQuotes(text, text.includes(';') ? ';' : ',')).toBe(text);
  });

  it.each([
    ['is never closed', 'pipe,"3,10', ['pipe', '"3', '10']],
    ['closes before the end of its field', '"pipe 3" long,3,10', ['"pipe 3" long', '3', '10']],
    [
      'closes before the end of its field, beside a quoted field',
      '"3" pipe,"3,5",10',
      ['"3" pipe', '3,5', '10'],
    ],
    ['is inside a quoted field', '"a "grey" heron, wading",3,10', ['a "grey" heron, wading', '3', '10']],
    [
      'is escaped by a backslash',
      '"a \\"grey\\" heron, \\"wading\\"",3,10',
      ['a "grey" heron, "wading"', '3', '10'],
    ],
    ['follows spaces', 'pipe, "3,5", 10', ['pipe', '3,5', ' 10']],
    ['follows a literal backslash', '"C:\\",3,10', ['C:\\', '3', '10']],
  ])('are characters or delimiters if one %s', (_, row, expected) => {
    const text = ['item,size,price', row, 'cap,2,5', 'last,9,9'].join('\n');
    expect(rowsOf(text)).toEqual([
      ['item', 'size', 'price'],
      expected,
      ['cap', '2', '5'],
      ['last', '9', '9'],
    ]);
  });

  it.each([
    ['a row that it leaves too short', 'pipe,"3,10', 'cap,2,5"'],
    ['a row that it leaves as wide as the others', 'pipe,"3,10', 'cap,2",5'],
    ['the opening quote of another field', 'pipe,"3,10', 'cap,2,"5"'],
  ])('keep rows separate between a stray quote and %s', (_, opening, closing) => {
    const between = Array.from({ length: 50 }, (_row, row) => `r${row},${row},${row}`);
    const rows = rowsOf(['item,size,price', opening, ...between, closing, 'last,9,9'].join('\n'));
    expect(rows).toHaveLength(54);
    expect(rows.every(({ length }) => length === 3)).toBe(true);
    expect(rows[1]).toEqual(['pipe', '"3', '10']);
  });

  it('may be escaped by a backslash in a field of several lines', () => {
    expect(rowsOf('a,b\n"one \\"two\\"\nthree",4')).toEqual([
      ['a', 'b'],
      ['one "two"\nthree', '4'],
    ]);
  });

  it.each([
    ['opening', 'a,"\n'],
    ['opening and closing', '","\n'],
    ['doubled', '"""\n'],
    ['closed too early', '"a"b,'],
    ['escaped', '"\\"a\n'],
    ['spaced', '"   a'],
  ])('are scanned once for 200,000 fields that are %s', (_, field) => {
    const text = `a,b,c\n1,2,3\n${field.repeat(200_000)}`;
    expect(escapeStrayQuotes(text, ',').length).toBeGreaterThanOrEqual(text.length);
  });
});
