import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { parse as parseUuid, validate as isUuid } from 'uuid';
import { NotFound, Unauthorized } from '../errors/index.js';
import { signApiKey, type KeyReference } from './api-key.js';
import { expiryAfter, type IssuedKey } from './key.service.js';
import { KeyRepository } from './key.repository.js';
import type { Scope } from './scope.js';
import { SigningSecret } from './signing-secret.js';
import { WrongKeys } from './wrong-keys.js';

/** A code that gives its holder a key once. */
export interface SignInCode {
  readonly code: string;
  readonly expiresAt: Date;
}

const ID_BYTES = 16;
const SECRET_BYTES = 32;

/**
 * Issues keys to people. A code works once and for a limited time; only the hash of its secret is stored. The key is
 * signed again from its row, because no key is stored. A code consists of the id of its key, a secret and the tenant.
 */
@Injectable()
export class SignInService {
  constructor(
    private readonly keys: KeyRepository,
    private readonly secret: SigningSecret,
    private readonly wrongKeys: WrongKeys,
  ) {}

  /**
   * Makes a code for a key; an earlier code of the key stops working.
   * @throws NotFound for a key that is unknown, revoked, expired, or of another tenant.
   */
  async codeFor({ appId }: Pick<Scope, 'appId'>, id: string, lifetimeSeconds: number): Promise<SignInCode> {
    const secret = randomBytes(SECRET_BYTES);
    const expiresAt = expiryAfter(lifetimeSeconds);
    if (!isUuid(id) || !(await this.keys.setSignIn(appId, id, hashOf(secret), expiresAt))) {
      throw new NotFound('Key not found');
    }
    const code = Buffer.concat([parseUuid(id), secret, Buffer.from(appId)]).toString('base64url');
    return { code, expiresAt };
  }

  /**
   * Uses a code up.
   * @param address of the client
   * @throws Unauthorized, in the same words whatever is wrong with the code; TooManyRequests after too many wrong codes.
   */
  async keyOf(code: string, address: string): Promise<IssuedKey> {
    const { key, secret } = read(code);
    const stored = key === null ? null : await this.keys.takeSignIn(key, hashOf(secret));
    if (stored?.expiresAt == null) {
      this.wrongKeys.count(address);
      throw new Unauthorized('The sign-in link was used already, has expired, or is not complete');
    }
    const { appId, id, permissions, endUserId, expiresAt } = stored;
    const claims = { appId, id, permissions, endUserId, expiresAt };
    return { stored, token: await signApiKey(claims, this.secret.forApiKeys()) };
  }
}

function read(code: string): { readonly key: KeyReference | null; readonly secret: Buffer } {
  const bytes = Buffer.from(code, 'base64url');
  const secret = bytes.subarray(ID_BYTES, ID_BYTES + SECRET_BYTES);
  const appId = bytes.subarray(ID_BYTES + SECRET_BYTES).toString();
  if (appId === '' || appId.includes('\0')) return { key: null, secret };
  return { key: { appId, id: bytes.toString('hex', 0, ID_BYTES) }, secret };
}

function hashOf(secret: Buffer): Buffer {
  return createHash('sha256').update(secret).digest();
}
