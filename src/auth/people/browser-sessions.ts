import { Inject, Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { v4 as newUuid } from 'uuid';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Conflict, Forbidden, type LecternError, NotFound, Unauthorized } from '../../errors/index.js';
import type { KeyReference } from '../api-key.js';
import { KeyRepository } from '../key.repository.js';
import type { Scope } from '../scope.js';
import { SignInService } from '../sign-in.service.js';
import { BrowserSessionRepository, type Device, type LiveSession } from './browser-session.repository.js';
import { type Code, newCode, readCode } from './one-time-code.js';
import { OidcRenewals } from './oidc-renewals.js';

/** Milliseconds for which a session is remembered: the end of a session must take effect within a second. */
const SESSION_TTL_MS = 500;

/** Seconds for which a link to another device works. */
const DEVICE_LINK_SECONDS = 300;

const NO_OTHER_DEVICE = 'The key of this request cannot be used on another device';
const ENDED = 'You are signed out: sign in again';

export interface OpenedSession {
  readonly cookie: string;
  readonly key: KeyReference;
  readonly sessionId: string;
}

/** The browsers in which people are signed in. A session acts with a key, and ends with it. */
@Injectable()
export class BrowserSessions {
  private readonly logger = new Logger('Sessions');
  private readonly known: LRUCache<string, { readonly keyId?: string }, Code>;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly sessions: BrowserSessionRepository,
    private readonly keys: KeyRepository,
    private readonly signIns: SignInService,
    private readonly renewals: OidcRenewals,
  ) {
    this.known = new LRUCache({
      max: 10_000,
      ttl: SESSION_TTL_MS,
      fetchMethod: async (_entry, _stale, { context }) => this.liveKey(context),
    });
  }

  /** Returns the key of a session. @throws Unauthorized if the session has ended */
  async keyOf(cookie: string): Promise<KeyReference> {
    const code = readCode(cookie);
    const found = code === null ? undefined : await this.known.fetch(cookie, { context: code });
    if (code === null || found?.keyId === undefined) throw new Unauthorized(ENDED);
    return { appId: code.appId, id: found.keyId };
  }

  /**
   * Signs a browser in.
   * @param sessionId an id that was never used
   * @param renewal tokens of the identity provider, encrypted; null: the session lasts as long as the key
   * @throws Unauthorized if the key does not work, or only with such tokens
   */
  async open(
    { appId, id: keyId }: KeyReference,
    device: string,
    { sessionId = newUuid(), renewal = null }: { sessionId?: string; renewal?: string | null } = {},
  ): Promise<OpenedSession> {
    const { text: cookie, hash: secretHash } = newCode(appId, sessionId);
    const lifetimeSeconds = renewal === null ? null : this.settings.OIDC_SESSION_HOURS * 3_600;
    const session = { appId, sessionId, keyId, secretHash, device, renewal, lifetimeSeconds };
    if (!(await this.sessions.add(session))) throw new Unauthorized(ENDED);
    return { cookie, key: { appId, id: keyId }, sessionId };
  }

  /**
   * Signs a browser in with a link: an invitation, or a link to another device. A link works once.
   * @param address of the client
   * @throws Unauthorized for every kind of invalid link; TooManyRequests after too many of them
   */
  async openLink(text: string, address: string, device: string): Promise<OpenedSession> {
    const code = readCode(text);
    const isTaken =
      code !== null &&
      ((await this.sessions.takeLink(code, code.hash)) ||
        (await this.keys.takeSignIn(code, code.hash)) !== null);
    if (!isTaken) throw await this.signIns.invalid(address);
    return this.open(code, device);
  }

  /**
   * Tells why a caller may not make a link that signs another device in. What the link opens follows the role of the
   * person, asks no identity provider or proxy, and outlives the request.
   * @param isBrowser whether the caller is signed in in a browser
   * @param stored the key of the caller; null: it is not stored
   * @returns null for a caller who may
   */
  linkRefusal(
    { lent, permissions }: Pick<Scope, 'lent' | 'permissions'>,
    isBrowser: boolean,
    stored: { readonly isAccount: boolean } | null,
  ): LecternError | null {
    if (lent !== undefined || stored?.isAccount === true) {
      return new Conflict(
        'You sign in at an identity provider or a proxy: sign in there on the other device too',
      );
    }
    if (stored === null) return new NotFound(NO_OTHER_DEVICE);
    if (isBrowser || permissions.has('admin')) return null;
    // The key of a program has at most the permissions that it was made with, whatever the person may do later.
    return new Forbidden('Only a browser that is signed in, or a key with "admin", adds another device');
  }

  /**
   * Makes a link that signs another device of the caller in.
   * @throws the errors of {@link linkRefusal}
   */
  async linkFor(
    scope: Scope,
    isBrowser: boolean,
  ): Promise<{ readonly code: string; readonly expiresAt: Date }> {
    const { appId, keyId: id } = scope;
    const refusal = this.linkRefusal(scope, isBrowser, await this.keys.find(appId, id));
    if (refusal !== null) throw refusal;
    const { text: code, hash } = newCode(appId, id);
    const expiresAt = await this.sessions.setLink({ appId, id }, hash, DEVICE_LINK_SECONDS);
    if (expiresAt === undefined) throw new NotFound(NO_OTHER_DEVICE);
    return { code, expiresAt };
  }

  async devicesOf({ appId, endUserId, keyId }: Scope): Promise<Device[]> {
    return this.sessions.devicesOf(appId, { person: endUserId, keyId });
  }

  /** Signs a browser of the caller out. @throws NotFound for a browser of somebody else */
  async endOf(scope: Scope, sessionId: string): Promise<void> {
    const own = await this.devicesOf(scope);
    if (!own.some(({ id }) => id === sessionId.toLowerCase())) throw new NotFound('Device not found');
    await this.sessions.end(scope.appId, sessionId);
  }

  /** Signs the browser with this cookie out. @returns where to sign out at the identity provider, if it is known */
  async end(cookie: string, returnTo: string): Promise<string | null> {
    const code = readCode(cookie);
    if (code === null) return null;
    const session = await this.sessions.find(code.appId, code.id, code.hash);
    if (session === undefined) return null;
    const renewal = await this.sessions.end(code.appId, code.id);
    this.known.delete(cookie);
    return renewal === undefined ? null : this.renewals.endUrl(renewal, code, returnTo);
  }

  /** Returns the id of the session with a cookie; null for what is no cookie. */
  idOf(cookie: string): string | null {
    return readCode(cookie)?.id ?? null;
  }

  private async liveKey(code: Code): Promise<{ readonly keyId?: string }> {
    const session = await this.sessions.find(code.appId, code.id, code.hash);
    if (session === undefined) return {};
    return (await this.isConfirmed(code, session)) ? { keyId: session.keyId } : {};
  }

  /** Asks the identity provider again when it is time. While the provider is down, sessions go on. */
  private async isConfirmed({ appId, id }: Code, { keyId, uncheckedSeconds }: LiveSession): Promise<boolean> {
    const seconds = this.settings.OIDC_RECHECK_SECONDS;
    if (uncheckedSeconds === null || uncheckedSeconds < seconds) return true;
    const renewal = await this.sessions.claimCheck(appId, id, seconds);
    if (renewal === undefined) return true; // another process asks
    const outcome = await this.renewals.renew(renewal, { appId, id, keyId });
    if (outcome === 'ended') {
      this.logger.log('the identity provider ended a session');
      await this.sessions.end(appId, id);
      await this.sessions.checkSoon({ appId, id: keyId });
      return false;
    }
    await this.sessions.setRenewal(appId, id, outcome.renewal);
    return true;
  }
}
