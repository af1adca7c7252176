import { Invalid } from '../errors/index.js';
import { normaliseFolderPath } from './folders.js';

const LOC = ['body', 'folder_name'];

describe('normaliseFolderPath', () => {
  it.each([
    ['/a/b', '/a/b'],
    ['a/b', '/a/b'],
    ['  /a/b/  ', '/a/b'],
    ['a//b///', '/a/b'],
    ['/', '/'],
    ['//', '/'],
    ['/a b/100%/_', '/a b/100%/_'],
    ['/...', '/...'],
    ['/漢字', '/漢字'],
  ])('normalises %j to %j', (path, normal) => {
    expect(normaliseFolderPath(path, LOC)).toBe(normal);
    expect(normaliseFolderPath(normal, LOC)).toBe(normal);
  });

  it.each([
    ['', 'a folder path expects at least one segment, got a blank one'],
    [' \t', 'a folder path expects at least one segment, got a blank one'],
    ['/a/../b', 'a folder path expects no "..", got one'],
    ['..', 'a folder path expects no "..", got one'],
    ['/a/ /b', 'a folder path expects no blank segment, got one'],
    ['/a\0', 'a folder path expects well-formed text, got one with U+0000'],
    ['/\ud800', 'a folder path expects well-formed text, got one with a lone surrogate'],
    [`/${'é'.repeat(512)}`, 'a folder path expects at most 1024 bytes, got 1025'],
  ])('rejects %j', (path, msg) => {
    expect(() => normaliseFolderPath(path, LOC)).toThrow(
      new Invalid([{ loc: LOC, msg, type: 'value_error' }]),
    );
  });

  it('accepts 1,024 bytes', () => {
    expect(normaliseFolderPath('a'.repeat(1_023), LOC)).toHaveLength(1_024);
  });
});
