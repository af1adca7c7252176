import type { FolderCount } from '../api/lectern.js';
import { foldersIn } from './folders-in.js';

const folder = (path: string, count: number) =>
  ({
    full_path: path,
    name: path.slice(path.lastIndexOf('/') + 1),
    doc_count: count,
  }) as FolderCount;

const FOLDERS = [
  folder('/a', 0),
  folder('/a/b', 1),
  folder('/a/b/c', 2),
  folder('/a/bb', 4),
  folder('/a/d', 0),
  folder('/ab', 8),
  folder('/ab/a', 16),
];

describe('foldersIn', () => {
  it('returns the direct subfolders, with the documents of all levels below', () => {
    expect(foldersIn('/a', FOLDERS)).toEqual([
      { path: '/a/b', name: 'b', count: 3 },
      { path: '/a/bb', name: 'bb', count: 4 },
      { path: '/a/d', name: 'd', count: 0 },
    ]);
  });

  it('returns nothing for a folder without subfolders, and for all documents', () => {
    expect(foldersIn('/a/b/c', FOLDERS)).toEqual([]);
    expect(foldersIn(null, FOLDERS)).toEqual([]);
  });
});
