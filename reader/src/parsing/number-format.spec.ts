import { formatNumber, paddedFormat } from './number-format.js';

describe('numbers of lists', () => {
  it.each([
    ['decimal', [0, 1, 12], ['0', '1', '12']],
    ['lowerLetter', [0, 1, 26, 27, 53, 781], ['0', 'a', 'z', 'aa', 'aaa', 'a']],
    ['upperColumn', [1, 26, 27, 28, 703], ['A', 'Z', 'AA', 'AB', 'AAA']],
    ['lowerRoman', [1, 4, 9, 1994, 40_000], ['i', 'iv', 'ix', 'mcmxciv', '40000']],
    ['upperRoman', [14], ['XIV']],
    ['decimalZero', [1, 10], ['01', '10']],
    [paddedFormat(3), [7, 1000], ['007', '1000']],
    ['ordinal', [1, 2, 3, 4, 11, 22], ['1st', '2nd', '3rd', '4th', '11th', '22nd']],
    ['cardinalText', [1, 15, 40, 42, 100], ['One', 'Fifteen', 'Forty', 'Forty-two', '100']],
    ['ordinalText', [1, 5, 12, 20, 21], ['First', 'Fifth', 'Twelfth', 'Twentieth', 'Twenty-first']],
    ['chineseCounting', [1, 10, 12, 20, 105, 1010], ['一', '十', '十二', '二十', '一百零五', '一千零一十']],
    ['ideographDigital', [10], ['一〇']],
    ['russianLower', [1, 2, 30], ['а', 'б', 'аа']],
    ['decimalEnclosedCircle', [1, 20, 21], ['①', '⑳', '21']],
    ['none', [3], ['']],
    ['unknown', [3, -1, 2 ** 60], ['3', '-1', String(2 ** 60)]],
  ])('are written as %s', (format, values, expected) => {
    expect(values.map((value) => formatNumber(value, format))).toEqual(expected);
  });
});
