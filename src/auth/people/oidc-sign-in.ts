import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Unauthorized, Unavailable } from '../../errors/index.js';
import { Sealer } from '../sealed.js';
import { SigningSecret } from '../signing-secret.js';
import { BrowserSessions, type OpenedSession } from './browser-sessions.js';
import { UnusableClaims } from './identity.js';
import type { Identity } from './identity.types.js';
import { IdentityProvider } from './identity-provider.js';
import { OidcRenewals } from './oidc-renewals.js';
import { PeopleService } from './people.service.js';
import { failureOf } from './provider-failure.js';

const PURPOSE = 'oidc-sign-in';

/** Seconds within which a person must come back from the provider. */
export const SIGN_IN_SECONDS = 600;

/** A sign-in that has begun. It is kept in a cookie, encrypted. */
interface Begun {
  readonly sessionId: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly until: number;
}

/** Signs people in at the identity provider: OpenID Connect, authorization code with PKCE. */
@Injectable()
export class OidcSignIn {
  private readonly logger = new Logger('SignIn');
  private readonly sealer: Sealer;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly provider: IdentityProvider,
    private readonly people: PeopleService,
    private readonly sessions: BrowserSessions,
    private readonly renewals: OidcRenewals,
    secret: SigningSecret,
  ) {
    this.sealer = new Sealer(secret, PURPOSE);
  }

  get isOffered(): boolean {
    return this.settings.OIDC_CLIENT_ID !== undefined;
  }

  /**
   * Begins a sign-in.
   * @param redirectUri where the provider sends the person back
   * @returns where the person signs in, and a cookie for the browser that does
   * @throws Unavailable while the provider does not answer
   */
  async begin(redirectUri: string): Promise<{ readonly url: string; readonly cookie: string }> {
    const client = await this.provider.client();
    const begun: Begun = {
      sessionId: randomUUID(),
      state: randomState(),
      nonce: randomNonce(),
      verifier: randomPKCECodeVerifier(),
      until: Date.now() + SIGN_IN_SECONDS * 1_000,
    };
    const { OIDC_SCOPES: scope } = this.settings;
    const url = buildAuthorizationUrl(client, {
      redirect_uri: redirectUri,
      scope,
      state: begun.state,
      nonce: begun.nonce,
      code_challenge: await calculatePKCECodeChallenge(begun.verifier),
      code_challenge_method: 'S256',
      // OpenID Connect Core, section 11: only then may the provider grant offline access.
      ...(scope.split(' ').includes('offline_access') && { prompt: 'consent' }),
    });
    return { url: url.href, cookie: this.sealer.seal(JSON.stringify(begun), PURPOSE) };
  }

  /**
   * Ends a sign-in with what the provider sent back.
   * @param returned the address to which the provider sent the person, with its parameters
   * @param cookie of {@link begin}
   * @throws Unauthorized if the answer does not belong to a sign-in that this browser began, or was used already;
   *   Forbidden if the person may not use the service; Unavailable while the provider does not answer
   */
  async finish(
    returned: URL,
    cookie: string,
    device: string,
  ): Promise<{ readonly session: OpenedSession; readonly identity: Identity }> {
    const begun = this.opened(cookie);
    if (begun === null) throw new Unauthorized('The sign-in took too long, or began in another browser');
    const { sessionId, state, nonce, verifier } = begun;
    try {
      const client = await this.provider.client();
      const tokens = await authorizationCodeGrant(client, returned, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      const identity = await this.renewals.identityOf(client, tokens, tokens.claims()?.sub ?? '');
      const key = await this.people.admit(identity);
      const renewal = this.renewals.renewalOf(tokens, { appId: key.appId, id: sessionId });
      return { session: await this.sessions.open(key, device, { sessionId, renewal }), identity };
    } catch (error) {
      const failure = failureOf(error);
      if (failure === null) throw error;
      this.logger.warn({ err: error }, 'the identity provider did not sign a person in');
      if (failure === 'unreachable') throw new Unavailable('The identity provider does not answer', 5);
      if (error instanceof UnusableClaims) {
        throw new Unauthorized('The identity provider does not say who you are');
      }
      throw new Unauthorized('The identity provider did not sign you in');
    }
  }

  private opened(cookie: string): Begun | null {
    const text = this.sealer.open(cookie, PURPOSE);
    const begun = text === null ? null : (JSON.parse(text) as Begun);
    return begun !== null && begun.until > Date.now() ? begun : null;
  }
}
