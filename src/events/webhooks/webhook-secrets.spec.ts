import { Webhook } from 'standardwebhooks';
import { SigningSecret } from '../../auth/signing-secret.js';
import { WebhookSecrets } from './webhook-secrets.js';

const JWT = 'a secret of more than thirty-two bytes';
const OTHER = 'another secret of more than thirty-two bytes';
const ID = { appId: 'acme', webhookId: '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a' };
const BODY = '{"type":"document.created","data":{"filename":"bühne.pdf"}}';

describe('the secrets of webhooks', () => {
  const secrets = new WebhookSecrets(new SigningSecret(JWT));
  const first = secrets.make(ID.appId, ID.webhookId);
  const second = secrets.make(ID.appId, ID.webhookId);
  const rotated = (until: number) => ({
    ...ID,
    secret: second.sealed,
    previousSecret: first.sealed,
    previousSecretUntil: new Date(Date.now() + until),
  });
  const only = { ...ID, secret: first.sealed, previousSecret: null, previousSecretUntil: null };
  const isVerified = (secret: string, headers: Readonly<Record<string, string>> | null): boolean => {
    try {
      new Webhook(secret).verify(BODY, { ...headers });
      return true;
    } catch {
      return false;
    }
  };

  it('are 32 random bytes, and are not stored as they are', () => {
    expect(Buffer.from(first.secret.replace('whsec_', ''), 'base64')).toHaveLength(32);
    expect(first.secret).not.toBe(second.secret);
    expect(Buffer.from(first.sealed, 'base64url').includes('whsec_')).toBe(false);
  });

  it('sign id, time and body', () => {
    const headers = secrets.headersOf(only, 'msg', BODY);
    expect(isVerified(first.secret, headers)).toBe(true);
    expect(isVerified(second.secret, headers)).toBe(false);
    expect(isVerified(first.secret, { ...headers, 'webhook-id': 'other' })).toBe(false);
    expect(isVerified(first.secret, { ...headers, 'webhook-timestamp': '1' })).toBe(false);
  });

  it('sign together until the previous one ends', () => {
    const both = secrets.headersOf(rotated(60_000), 'msg', BODY);
    expect([isVerified(first.secret, both), isVerified(second.secret, both)]).toEqual([true, true]);
    const later = secrets.headersOf(rotated(-1), 'msg', BODY);
    expect([isVerified(first.secret, later), isVerified(second.secret, later)]).toEqual([false, true]);
  });

  it('belong to one webhook', () => {
    expect(secrets.headersOf({ ...only, appId: 'other' }, 'msg', BODY)).toBeNull();
  });

  it('can be read with JWT_SECRET_PREVIOUS, and not with another JWT_SECRET', () => {
    const after = new WebhookSecrets(new SigningSecret(OTHER, JWT));
    expect(isVerified(first.secret, after.headersOf(only, 'msg', BODY))).toBe(true);
    expect(new WebhookSecrets(new SigningSecret(OTHER)).headersOf(only, 'msg', BODY)).toBeNull();
  });
});
