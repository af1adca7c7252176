import { Injectable } from '@nestjs/common';
import { validate as isUuid } from 'uuid';
import { HandOuts } from '../access/hand-outs.js';
import { userPrincipal } from '../access/principal.js';
import { Conflict, NotFound, Unauthorized } from '../errors/index.js';
import { signApiKey } from './api-key.js';
import { newCode, readCode } from './people/one-time-code.js';
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
    if (grant.isAccount) {
      throw new Conflict('The person signs in at the identity provider, and needs no link');
    }
    if (grant.endUserId === null) requireFullReach(by);
    else await this.handOuts.require(by, userPrincipal(grant.endUserId));
    const { text: code, hash } = newCode(appId, id);
    const asked = expiryAfter(lifetimeSeconds);
    const expiresAt = grant.expiresAt !== null && grant.expiresAt < asked ? grant.expiresAt : asked;
    if (!(await this.keys.setSignIn(appId, id, hash, expiresAt))) {
      throw new NotFound('Key not found');
    }
    const { permissions, endUserId } = grant;
    return { code, expiresAt, permissions, endUserId };
  }

  /**
   * Returns what a code opens, and leaves the code as it is.
   * @param address of the client
   * @throws the errors of {@link keyOf}
   */
  async invitationOf(code: string, address: string): Promise<Invitation> {
    const key = readCode(code);
    const stored = key === null ? undefined : await this.keys.findSignIn(key, key.hash);
    if (stored === undefined) throw await this.invalid(address);
    return stored;
  }

  /**
   * Exchanges a code for its key.
   * @param address of the client
   * @throws Unauthorized with the same message for every kind of invalid code; TooManyRequests after too many invalid
   * codes.
   */
  async keyOf(code: string, address: string): Promise<IssuedKey> {
    const key = readCode(code);
    const stored = key === null ? null : await this.keys.takeSignIn(key, key.hash);
    if (stored?.expiresAt == null) throw await this.invalid(address);
    const { appId, id, permissions, endUserId, expiresAt } = stored;
    const claims = { appId, id, permissions, endUserId, expiresAt };
    return { stored, token: await signApiKey(claims, this.secret.forApiKeys()) };
  }

  /** Counts a wrong code. @returns the error for it */
  async invalid(address: string): Promise<Unauthorized> {
    await this.wrongKeys.count(address, 'sign_in.refused');
    return new Unauthorized('The sign-in link was used already, has expired, or is not complete');
  }
}
