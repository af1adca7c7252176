import { Invalid } from '../errors/index.js';
import { creatableFolder, lineage, normaliseFolderPath } from './folders.js';

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

describe('lineage', () => {
  it('lists the ancestors of a folder and the folder', () => {
    expect(lineage('/a/b c/d')).toEqual(['/a', '/a/b c', '/a/b c/d']);
    expect(lineage('/a')).toEqual(['/a']);
    expect(lineage('/')).toEqual([]);
  });
});

describe('creatableFolder', () => {
  it('accepts 64 levels and refuses more', () => {
    const deepest = '/a'.repeat(64);
    expect(creatableFolder(deepest, LOC)).toBe(deepest);
    expect(() => creatableFolder(`${deepest}/a`, LOC)).toThrow(
      new Invalid([{ loc: LOC, msg: 'a new folder expects at most 64 levels, got 65', type: 'value_error' }]),
    );
  });
});
