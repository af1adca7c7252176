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
  endUserId: null,
  expiresAt: new Date(future * 1_000),
};

/** Builds a token with any header and payload, signed or not. */
function forged(header: object, payload: object, sign = true): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part(header)}.${part(payload)}`;
  return `${text}.${sign ? createHmac('sha256', secret).update(text).digest('base64url') : ''}`;
}

const payload = { app_id: 'acme', scopes: ['read'], jti: id, exp: future };
const hs256 = { alg: 'HS256' };

describe('API key', () => {
  it('identifies its tenant and its row', async () => {
    expect(await readApiKey(await signApiKey(claims, secret), secret)).toEqual({
      appId: 'acme',
      id,
      permissions: ['read', 'query'],
      endUserId: null,
    });
  });

  it('is accepted in the form that the tests below forge', async () => {
    expect((await readApiKey(forged(hs256, payload), secret)).id).toBe(id);
  });

  it.each([
    ['a key without a signature', forged({ alg: 'none' }, payload, false), 'malformed'],
    ['another algorithm', forged({ alg: 'HS512' }, payload), 'malformed'],
    ['a key without an expiry', forged(hs256, { ...payload, exp: undefined }), 'malformed'],
    ['a key without an id', forged(hs256, { ...payload, jti: undefined }), 'malformed'],
    ['a key without a tenant', forged(hs256, { ...payload, app_id: undefined }), 'malformed'],
    ['an id that is not a UUID', forged(hs256, { ...payload, jti: '1' }), 'malformed'],
    ['an expired key', forged(hs256, { ...payload, exp: future - 7_200 }), 'expired'],
    ['text that is not a token', 'abc', 'malformed'],
  ])('rejects %s', async (_case, token, reason) => {
    await expect(readApiKey(token, secret)).rejects.toMatchObject({
      status: 401,
      message: expect.stringContaining(reason) as unknown,
    });
  });

  it('rejects a key signed with another secret', async () => {
    const other = await signApiKey(claims, new TextEncoder().encode('another secret of thirty-two bytes'));
    await expect(readApiKey(other, secret)).rejects.toMatchObject({ message: 'The API key is not valid' });
  });

  it('is a JWT with the documented claims', async () => {
    const [header, body] = (await signApiKey(claims, secret)).split('.');
    const decoded = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString()) as object;
    expect(decoded(header)).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(decoded(body)).toMatchObject({ app_id: 'acme', scopes: ['read', 'query'], jti: id, exp: future });
  });

  it('rejects a key changed after signing', async () => {
    const token = await new SignJWT(payload).setProtectedHeader(hs256).sign(secret);
    const [header, , signature] = token.split('.');
    const changed = Buffer.from(JSON.stringify({ ...payload, scopes: ['admin'] })).toString('base64url');
    await expect(readApiKey(`${header ?? ''}.${changed}.${signature ?? ''}`, secret)).rejects.toMatchObject({
      message: 'The API key is not valid',
    });
  });
});
