import { signFile, verifyFile, type FileGrant } from './signed-file.js';

const KEY = new Uint8Array(32).fill(7);
const grant: FileGrant = {
  appId: 'acme',
  documentId: 'doc',
  fileId: 'acme/doc/report.pdf',
  holder: 'ann',
  expiresAt: 2_000,
};

describe('signed file tokens', () => {
  it('return their grant until they expire', () => {
    const token = signFile(grant, KEY);
    expect(token).toMatch(/^[\w-]+\.[\w-]+$/);
    expect(verifyFile(token, KEY, 1_999_999)).toEqual(grant);
    expect(verifyFile(token, KEY, 2_000_000)).toBeUndefined();
  });

  it('are invalid under another key', () => {
    expect(verifyFile(signFile(grant, KEY), new Uint8Array(32).fill(8), 0)).toBeUndefined();
  });

  it.each(Object.keys(grant) as (keyof FileGrant)[])('are invalid with a changed %s', (name) => {
    const other = signFile({ ...grant, [name]: name === 'expiresAt' ? 9_999 : 'other' }, KEY);
    const [payload] = other.split('.');
    const [, signature] = signFile(grant, KEY).split('.');
    expect(verifyFile(`${payload}.${signature}`, KEY, 0)).toBeUndefined();
  });

  it.each(['', '.', 'a', 'a.b', '..', `${'x'.repeat(10_000)}.y`])('reject %j', (token) => {
    expect(verifyFile(token, KEY, 0)).toBeUndefined();
  });

  it('reject text after the signature', () => {
    expect(verifyFile(`${signFile(grant, KEY)}.more`, KEY, 0)).toBeUndefined();
  });
});
