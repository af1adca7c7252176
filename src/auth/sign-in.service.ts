import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { parse as parseUuid, validate as isUuid } from 'uuid';
import { HandOuts } from '../access/hand-outs.js';
import { userPrincipal } from '../access/principal.js';
import { NotFound, Unauthorized } from '../errors/index.js';
import { signApiKey, type KeyReference } from './api-key.js';
import { expiryAfter, type IssuedKey } from './key.service.js';
import { KeyRepository } from './key.repository.js';
import { requireFullReach, type Permission, type Scope } from './scope.js';
import { SigningSecret } from './signing-secret.js';
import { WrongKeys } from './wrong-keys.js';

/** A code that can be exchanged for a key, but only once. */
export interface SignInCode extends Omit<Invitation, 'name'> {
  readonly code: string;
}

/** What a code opens: a key with these rights, until the code expires. */
export interface Invitation {
  readonly name: string;
  readonly endUserId: string | null;
  readonly permissions: readonly Permission[];
  readonly expiresAt: Date;
}

const ID_BYTES = 16;
const SECRET_BYTES = 32;

/**
 * Gives people their keys in exchange for one-time codes. A code works once and for a limited time. A code consists of
 * the tenant, the id of its key, and a secret. The service stores only the hash of the secret. It does not store the
 * key either, but signs the key again from its row.
 */
@Injectable()
export class SignInService {
  constructor(
    private readonly keys: KeyRepository,
    private readonly secret: SigningSecret,
    private readonly wrongKeys: WrongKeys,
    private readonly handOuts: HandOuts,
  ) {}

  /**
   * Makes a code for a key. An earlier code of the key stops working. The code does not outlive its key.
   * @param by the caller
   * @throws NotFound for a key that is unknown, revoked, expired, or of another tenant; Forbidden for a person and a key
   * that reads what this person may not.
   */
  async codeFor(
    { appId }: Pick<Scope, 'appId'>,
    id: string,
    lifetimeSeconds: number,
    by: Scope,
  ): Promise<SignInCode> {
    const grant = isUuid(id) ? await this.keys.grantOf({ appId, id }) : undefined;
    if (grant === undefined) throw new NotFound('Key not found');
    if (grant.endUserId === null) requireFullReach(by);
    else await this.handOuts.require(by, userPrincipal(grant.endUserId));
    const secret = randomBytes(SECRET_BYTES);
    const asked = expiryAfter(lifetimeSeconds);
    const expiresAt = grant.expiresAt !== null && grant.expiresAt < asked ? grant.expiresAt : asked;
    if (!(await this.keys.setSignIn(appId, id, hashOf(secret), expiresAt))) {
      throw new NotFound('Key not found');
    }
    const code = Buffer.concat([parseUuid(id), secret, Buffer.from(appId)]).toString('base64url');
    const { permissions, endUserId } = grant;
    return { code, expiresAt, permissions, endUserId };
  }

  /**
   * Returns what a code opens, and leaves the code as it is.
   * @param address of the client
   * @throws the errors of {@link keyOf}
   */
  async invitationOf(code: string, address: string): Promise<Invitation> {
    const { key, secret } = read(code);
    const stored = key === null ? null : await this.keys.findSignIn(key, hashOf(secret));
    if (stored?.signInExpiresAt == null) throw this.invalid(address);
    const { name, endUserId, permissions, signInExpiresAt: expiresAt } = stored;
    return { name, endUserId, permissions, expiresAt };
  }

  /**
   * Exchanges a code for its key.
   * @param address of the client
   * @throws Unauthorized with the same message for every kind of invalid code; TooManyRequests after too many invalid
   * codes.
   */
  async keyOf(code: string, address: string): Promise<IssuedKey> {
    const { key, secret } = read(code);
    const stored = key === null ? null : await this.keys.takeSignIn(key, hashOf(secret));
    if (stored?.expiresAt == null) throw this.invalid(address);
    const { appId, id, permissions, endUserId, expiresAt } = stored;
    const claims = { appId, id, permissions, endUserId, expiresAt };
    return { stored, token: await signApiKey(claims, this.secret.forApiKeys()) };
  }

  private invalid(address: string): Unauthorized {
    this.wrongKeys.count(address, 'sign_in.refused');
    return new Unauthorized('The sign-in link was used already, has expired, or is not complete');
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
