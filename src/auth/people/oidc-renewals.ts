import { Inject, Injectable, Logger } from '@nestjs/common';
import {
  buildEndSessionUrl,
  type Configuration,
  fetchUserInfo,
  refreshTokenGrant,
  type TokenEndpointResponse,
  type TokenEndpointResponseHelpers,
} from 'openid-client';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Forbidden, Unavailable } from '../../errors/index.js';
import { Sealer } from '../sealed.js';
import { SigningSecret } from '../signing-secret.js';
import { type Claims, identityOf } from './identity.js';
import type { Identity } from './identity.types.js';
import { IdentityProvider } from './identity-provider.js';
import { PeopleService } from './people.service.js';
import { failureOf } from './provider-failure.js';

const PURPOSE = 'browser-session';

/** What a session keeps of the provider's tokens. */
interface Renewal {
  readonly subject: string;
  readonly idToken: string;
  readonly accessToken: string;
  readonly refreshToken: string | null;
}

export type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers;

/** Identifies the session that a renewal belongs to. */
interface SessionReference {
  readonly appId: string;
  readonly id: string;
}

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
    const renewal: Renewal = {
      subject: before?.subject ?? tokens.claims()?.sub ?? '',
      idToken: tokens.id_token ?? before?.idToken ?? '',
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token ?? before?.refreshToken ?? null,
    };
    return this.sealer.seal(JSON.stringify(renewal), contextOf(appId, id));
  }

  /**
   * Asks the provider again, and stores the groups and rights that it names.
   * @returns `ended` if the provider, or an administrator, no longer lets the person in; `unreachable` if the provider
   * does not answer
   */
  async renew(
    sealed: string,
    session: SessionReference,
  ): Promise<'ended' | 'unreachable' | { readonly renewal: string }> {
    const renewal = this.opened(sealed, session);
    if (renewal === null) return 'ended';
    const { subject, accessToken, refreshToken } = renewal;
    try {
      const client = await this.provider.client();
      if (refreshToken === null) {
        const info = await fetchUserInfo(client, accessToken, subject);
        await this.people.admit(identityOf(info, this.settings));
        return { renewal: sealed };
      }
      const tokens = await refreshTokenGrant(client, refreshToken);
      const renewed = this.renewalOf(tokens, session, renewal);
      await this.people.admit(await this.identityOf(client, tokens, subject));
      return { renewal: renewed };
    } catch (error) {
      const failure = error instanceof Forbidden ? 'refused' : failureOf(error);
      if (failure === null) throw error;
      if (failure === 'refused') {
        this.logger.warn({ err: error }, 'the identity provider no longer confirms a session');
        return 'ended';
      }
      this.logger.warn(
        { err: error },
        'cannot ask the identity provider about a session; the session goes on',
      );
      return 'unreachable';
    }
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
