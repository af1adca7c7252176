import { withFolderInOneSegment } from './routes.js';

const rewritten = (method: string, url: string): string => withFolderInOneSegment({ method, url });

describe('the URL of a folder', () => {
  it.each([
    ['GET', '/folders/a/b/c', '/folders/a%2Fb%2Fc'],
    ['GET', '/folders/a%2Fb/c%20d?x=/y/z', '/folders/a%2Fb%2Fc%20d?x=/y/z'],
    ['GET', '/folders//a/b/', '/folders/a%2Fb'],
    ['GET', '/folders/summary', '/folders/summary'],
    ['GET', '/folders/%2Fsummary', '/folders/%2Fsummary'],
    ['GET', '/folders/a/b/summary', '/folders/a%2Fb/summary'],
    ['GET', '/folders/a%2Fsummary', '/folders/a%2Fsummary'],
    ['PUT', '/folders/a/b/summary', '/folders/a%2Fb/summary'],
    ['POST', '/folders/a/summary', '/folders/a%2Fsummary'],
    ['GET', '/folders/a/move', '/folders/a%2Fmove'],
    ['POST', '/folders/a/b/move', '/folders/a%2Fb/move'],
    ['POST', '/folders/a/move/move', '/folders/a%2Fmove/move'],
    ['POST', '/folders/move', '/folders/move'],
    ['POST', '/folders/details', '/folders/details'],
    ['POST', '/folders/a/b/documents/1?x', '/folders/a%2Fb/documents/1?x'],
    ['POST', '/folders/a/documents/b/documents/1', '/folders/a%2Fdocuments%2Fb/documents/1'],
    ['DELETE', '/folders/a/b/documents/1', '/folders/a%2Fb/documents/1'],
    ['DELETE', '/folders/a/b?recursive=true', '/folders/a%2Fb?recursive=true'],
    ['DELETE', '/folders/documents/1', '/folders/documents%2F1'],
    ['DELETE', '/folders/a/documents%2F1', '/folders/a%2Fdocuments%2F1'],
    ['DELETE', '/folders/a/move', '/folders/a%2Fmove'],
    ['PUT', '/folders/a/b', '/folders/a%2Fb'],
  ])('%s %s becomes %s', (method, url, expected) => {
    expect(rewritten(method, url)).toBe(expected);
    expect(rewritten(method, expected)).toBe(expected);
  });

  it.each(['/folders', '/folders?x=/a/b', '/documents/a/b', '/foldersa/b', ''])('%s is unchanged', (url) => {
    expect(rewritten('GET', url)).toBe(url);
  });
});
