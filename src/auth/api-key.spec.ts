import { createHmac } from 'node:crypto';
import { SignJWT } from 'jose';
import { readApiKey, signApiKey, type ApiKeyClaims } from './api-key.js';

const secret = new TextEncoder().encode('0123456789abcdef0123456789abcdef');
const id = '5513a32f-33e4-4195-b885-1fa1a71767e2';
const future = Math.floor(Date.now() / 1_000) + 3_600;
const claims: ApiKeyClaims = {
  appId: 'acme',
  id,
  permissions: ['read', 'query'],
  expiresAt: new Date(future * 1_000),
};

/** A token with any header and payload, signed or not. */
function forged(header: object, payload: object, sign = true): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part(header)}.${part(payload)}`;
  return `${text}.${sign ? createHmac('sha256', secret).update(text).digest('base64url') : ''}`;
}

const payload = { app_id: 'acme', scopes: ['read'], jti: id, exp: future };
const hs256 = { alg: 'HS256' };

describe('an API key', () => {
  it('says which one it is', async () => {
    expect(await readApiKey(await signApiKey(claims, secret), secret)).toEqual({ appId: 'acme', id });
  });

  it('is accepted in the form that is forged below, when nothing is wrong with it', async () => {
    expect((await readApiKey(forged(hs256, payload), secret)).id).toBe(id);
  });

  it.each([
    ['without a signature', forged({ alg: 'none' }, payload, false), 'malformed'],
    ['with the algorithm changed', forged({ alg: 'HS512' }, payload), 'malformed'],
    ['without an expiry', forged(hs256, { ...payload, exp: undefined }), 'malformed'],
    ['without an id', forged(hs256, { ...payload, jti: undefined }), 'malformed'],
    ['without a tenant', forged(hs256, { ...payload, app_id: undefined }), 'malformed'],
    ['with an id that is no UUID', forged(hs256, { ...payload, jti: '1' }), 'malformed'],
    ['that has expired', forged(hs256, { ...payload, exp: future - 7_200 }), 'expired'],
    ['that is no token at all', 'abc', 'malformed'],
  ])('%s is refused', async (_what, token, reason) => {
    await expect(readApiKey(token, secret)).rejects.toMatchObject({
      status: 401,
      message: expect.stringContaining(reason) as unknown,
    });
  });

  it('signed with another secret is refused', async () => {
    const other = await signApiKey(claims, new TextEncoder().encode('another secret of thirty-two bytes'));
    await expect(readApiKey(other, secret)).rejects.toMatchObject({ message: 'The API key is not valid' });
  });

  it('is a JWT of the documented form', async () => {
    const [header, body] = (await signApiKey(claims, secret)).split('.');
    const decoded = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString()) as object;
    expect(decoded(header)).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(decoded(body)).toMatchObject({ app_id: 'acme', scopes: ['read', 'query'], jti: id, exp: future });
  });

  it('that was changed after signing is refused', async () => {
    const token = await new SignJWT(payload).setProtectedHeader(hs256).sign(secret);
    const [header, , signature] = token.split('.');
    const changed = Buffer.from(JSON.stringify({ ...payload, scopes: ['admin'] })).toString('base64url');
    await expect(readApiKey(`${header ?? ''}.${changed}.${signature ?? ''}`, secret)).rejects.toMatchObject({
      message: 'The API key is not valid',
    });
  });
});
