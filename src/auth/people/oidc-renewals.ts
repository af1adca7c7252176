import { Inject, Injectable, Logger } from '@nestjs/common';
import {
  buildEndSessionUrl,
  type Configuration,
  fetchUserInfo,
  refreshTokenGrant,
  type TokenEndpointResponse,
  type TokenEndpointResponseHelpers,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Forbidden, Unavailable } from '../../errors/index.js';
import { Sealer } from '../sealed.js';
import { SigningSecret } from '../signing-secret.js';
import { type Claims, identityOf, subjectOf } from './identity.js';
import type { Identity } from './identity.types.js';
import { IdentityProvider } from './identity-provider.js';
import { PeopleService } from './people.service.js';
import { failureOf, isAboutPerson } from './provider-failure.js';

const PURPOSE = 'browser-session';

/** What a session keeps of the provider's tokens. */
interface Renewal {
  readonly subject: string;
  readonly idToken: string;
  readonly accessToken: string;
  readonly refreshToken: string | null;
  /** Time in ms when the access token ends; undefined: the provider does not say it. */
  readonly accessTokenEnds?: number | undefined;
}

export type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers;

/** Identifies the session that a renewal belongs to. */
interface SessionReference {
  readonly appId: string;
  readonly id: string;
}

interface Session extends SessionReference {
  readonly keyId: string;
}

/** An access token is taken for ended this long before its time, in ms: the clock of the provider is another. */
const CLOCK_SKEW_MS = 5_000;

/** Asks the identity provider again who a signed-in person is, and which groups the person has. */
@Injectable()
export class OidcRenewals {
  private readonly logger = new Logger('Sessions');
  private readonly sealer: Sealer;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly provider: IdentityProvider,
    private readonly people: PeopleService,
    secret: SigningSecret,
  ) {
    this.sealer = new Sealer(secret, PURPOSE);
  }

  /** Returns the person whom the tokens of a sign-in are about. @throws UnusableClaims */
  async identityOf(client: Configuration, tokens: Tokens, subject: string): Promise<Identity> {
    const hasUserInfo = client.serverMetadata().userinfo_endpoint !== undefined;
    const info: Claims = hasUserInfo ? await fetchUserInfo(client, tokens.access_token, subject) : {};
    return identityOf({ ...tokens.claims(), ...info, sub: subject }, this.settings);
  }

  /** Encrypts what a session needs to ask again. */
  renewalOf(tokens: Tokens, { appId, id }: SessionReference, before?: Renewal): string {
    const seconds = tokens.expiresIn();
    const renewal: Renewal = {
      subject: before?.subject ?? tokens.claims()?.sub ?? '',
      idToken: tokens.id_token ?? before?.idToken ?? '',
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token ?? before?.refreshToken ?? null,
      accessTokenEnds: seconds === undefined ? undefined : Date.now() + seconds * 1_000,
    };
    return this.sealer.seal(JSON.stringify(renewal), contextOf(appId, id));
  }

  /**
   * Asks the provider again, and stores the groups and rights that it names. A provider that does not answer changes
   * nothing. If it refuses the person, or names another tenant, the account has no groups and no rights of an administrator
   * until the provider confirms it.
   * @returns `ended` if the provider, or an administrator, no longer lets the person in with the key of the session
   */
  async renew(sealed: string, session: Session): Promise<'ended' | { readonly renewal: string }> {
    const before = this.opened(sealed, session);
    if (before === null) return 'ended';
    const { appId, keyId } = session;
    const key = { appId, id: keyId };
    const subject = subjectOf(this.settings.OIDC_ISSUER ?? '', before.subject);
    let renewal = sealed;
    try {
      const client = await this.provider.client();
      const tokens =
        before.refreshToken === null ? null : await refreshTokenGrant(client, before.refreshToken);
      if (tokens !== null) renewal = this.renewalOf(tokens, session, before);
      const identity = await this.presentIdentity(client, tokens, before);
      if (identity.appId !== appId) {
        this.logger.log('the identity provider names another tenant for a person');
        await this.people.suspend(key, subject);
        return 'ended';
      }
      return (await this.people.admit(identity)).id === keyId ? { renewal } : 'ended';
    } catch (error) {
      const failure = error instanceof Forbidden ? 'refused' : failureOf(error);
      if (failure === null) throw error;
      if (failure === 'refused') {
        this.logger.warn({ err: error }, 'the identity provider no longer confirms a session');
        if (isAboutPerson(error) && !(renewal === sealed && isOver(before, error)))
          await this.people.suspend(key, subject);
        return 'ended';
      }
      this.logger.warn(
        { err: error },
        'cannot ask the identity provider about a session; the session goes on',
      );
      return { renewal };
    }
  }

  private async presentIdentity(
    client: Configuration,
    tokens: Tokens | null,
    { subject, accessToken }: Renewal,
  ): Promise<Identity> {
    if (tokens !== null) return this.identityOf(client, tokens, subject);
    return identityOf(await fetchUserInfo(client, accessToken, subject), this.settings);
  }

  /** Returns where the person signs out at the provider. null: the provider has no such place, or does not answer. */
  async endUrl(sealed: string, session: SessionReference, returnTo: string): Promise<string | null> {
    const idToken = this.opened(sealed, session)?.idToken ?? '';
    try {
      const client = await this.provider.client();
      if (client.serverMetadata().end_session_endpoint === undefined || idToken === '') return null;
      return buildEndSessionUrl(client, {
        id_token_hint: idToken,
        post_logout_redirect_uri: returnTo,
      }).href;
    } catch (error) {
      if (error instanceof Unavailable) return null; // signed out here all the same
      throw error;
    }
  }

  private opened(sealed: string, { appId, id }: SessionReference): Renewal | null {
    const text = this.sealer.open(sealed, contextOf(appId, id));
    return text === null ? null : (JSON.parse(text) as Renewal);
  }
}

function contextOf(appId: string, id: string): string {
  return `${appId}/${id.replaceAll('-', '')}`;
}

/** Whether an error may say no more than that an access token is over, as it would be for any account. */
function isOver({ accessTokenEnds = 0 }: Renewal, error: unknown): boolean {
  return error instanceof WWWAuthenticateChallengeError && accessTokenEnds - CLOCK_SKEW_MS <= Date.now();
}
