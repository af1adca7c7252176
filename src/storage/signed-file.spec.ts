import { signFile, verifyFile, type FileGrant } from './signed-file.js';

const SECRET = 'x7Kq'.repeat(10);
const grant: FileGrant = {
  appId: 'acme',
  key: 'acme/doc/report.pdf',
  expiresAt: 2_000,
  contentType: 'application/pdf',
  filename: 'Größe.pdf',
};

describe('the token of a signed URL', () => {
  it('gives its grant back until it expires', () => {
    const token = signFile(grant, SECRET);
    expect(token).toMatch(/^[\w-]+\.[\w-]+$/);
    expect(verifyFile(token, SECRET, 1_999_999)).toEqual(grant);
    expect(verifyFile(token, SECRET, 2_000_000)).toBeUndefined();
  });

  it('is worth nothing under another secret', () => {
    expect(verifyFile(signFile(grant, SECRET), `${SECRET}.`, 0)).toBeUndefined();
  });

  it.each(Object.keys(grant) as (keyof FileGrant)[])('is worth nothing when its %s was changed', (name) => {
    const other = signFile({ ...grant, [name]: name === 'expiresAt' ? 9_999 : 'other' }, SECRET);
    const [payload] = other.split('.');
    const [, signature] = signFile(grant, SECRET).split('.');
    expect(verifyFile(`${payload}.${signature}`, SECRET, 0)).toBeUndefined();
  });

  it.each(['', '.', 'a', 'a.b', '..', `${'x'.repeat(10_000)}.y`])('is not %j', (token) => {
    expect(verifyFile(token, SECRET, 0)).toBeUndefined();
  });

  it('takes nothing after its signature', () => {
    expect(verifyFile(`${signFile(grant, SECRET)}.more`, SECRET, 0)).toBeUndefined();
  });
});
