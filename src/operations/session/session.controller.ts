import { Body, Controller, Delete, Get, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Authenticator } from '../../auth/authenticator.js';
import { credentialsOf, requireOwnPage, sessionCookieOf } from '../../auth/credentials.js';
import { KeyRepository } from '../../auth/key.repository.js';
import { BrowserSessions } from '../../auth/people/browser-sessions.js';
import { deviceNameOf } from '../../auth/people/device-name.js';
import { OidcSignIn } from '../../auth/people/oidc-sign-in.js';
import { AccessEnded } from '../../auth/people/people.service.js';
import { scopeOf, type Scope } from '../../auth/scope.js';
import { WrongKeys } from '../../auth/wrong-keys.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Forbidden, LecternError, Unauthorized, Unavailable } from '../../errors/index.js';
import { PublicUrl } from '../../http/links.js';
import { Route } from '../../http/route.decorator.js';
import { SessionCookies } from './session-cookies.js';
import { OpenSessionRequest, SessionDto, SignedOutDto } from './session.dto.js';

const CALLBACK = '/session/callback';

/** The sign-in of browsers: at the identity provider, with a link, and out again. */
@ApiTags('tenants')
@Controller('session')
export class SessionController {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly authenticator: Authenticator,
    private readonly keys: KeyRepository,
    private readonly sessions: BrowserSessions,
    private readonly signIn: OidcSignIn,
    private readonly publicUrl: PublicUrl,
    private readonly wrongKeys: WrongKeys,
  ) {}

  @Get()
  @Route({
    operationId: 'getSession',
    permission: 'open',
    summary: 'Get who is signed in',
    description: 'Without a valid credential `signed_in_by` is `nobody`; that is no error.',
  })
  @ApiOkResponse({ type: SessionDto })
  async get(@Req() request: FastifyRequest): Promise<SessionDto> {
    const { authorization, session } = credentialsOf(request);
    const scope = await this.scopeOf(request);
    if (scope === null) return NOBODY;
    const { appId, keyId, endUserId, groups, permissions, lent } = scope;
    const stored = lent === undefined ? await this.keys.find(appId, keyId) : null;
    const isKey = authorization !== undefined;
    const isBrowser = session !== undefined;
    const isAccount = stored === null || stored.isAccount;
    return {
      signed_in_by: signedInBy(isKey, isBrowser, lent !== undefined),
      name: lent?.name ?? stored?.name ?? null,
      end_user_id: endUserId,
      groups: [...groups],
      scopes: [...permissions],
      key_id: stored === null ? null : keyId,
      device_id: isBrowser ? this.sessions.idOf(session) : null,
      returns_alone: isAccount || isKey,
      may_add_device: this.sessions.linkRefusal(scope, isBrowser, stored) === null,
    };
  }

  @Get('start')
  @Route({
    operationId: 'startSignIn',
    permission: 'open',
    status: 303,
    summary: 'Sign in at the identity provider',
    description: 'Leads a browser to the provider of OIDC_ISSUER, which leads it back to the playground.',
  })
  async start(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const cookies = new SessionCookies(request, reply);
    try {
      if (!this.signIn.isOffered) throw new Unauthorized('Signing in elsewhere is not set up');
      const { url, cookie } = await this.signIn.begin(this.publicUrl.of(CALLBACK));
      cookies.setBegun(cookie);
      lead(reply, url);
    } catch (error) {
      this.leadBack(reply, error);
    }
  }

  @Get('callback')
  @Route({
    operationId: 'finishSignIn',
    permission: 'open',
    status: 303,
    summary: 'Return from the identity provider',
    description:
      'The provider leads a browser here. It is led on to the playground, signed in or with the reason why not.',
    audit: { action: 'session.sign_in', subject: () => [] },
  })
  async callback(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const cookies = new SessionCookies(request, reply);
    const begun = cookies.takeBegun();
    const [, query = ''] = request.originalUrl.split('?', 2);
    const returned = new URL(`${this.publicUrl.of(CALLBACK)}?${query}`);
    try {
      if (!this.signIn.isOffered) throw new Unauthorized('Signing in elsewhere is not set up');
      const device = deviceNameOf(request.headers['user-agent']);
      const { session, identity } = await this.signIn.finish(returned, begun, device);
      cookies.setSession(session.cookie, true);
      const { appId, id } = session.key;
      request.scope = scopeOf(appId, [], id, { endUserId: identity.person }); // for the audit log
      lead(reply, this.publicUrl.of('/'));
    } catch (error) {
      if (error instanceof Unauthorized || error instanceof Forbidden) {
        await this.wrongKeys.count(request.ip, 'sign_in.refused');
      }
      this.leadBack(reply, error);
    }
  }

  @Post()
  @Route({
    operationId: 'openSession',
    permission: 'open',
    summary: 'Sign a browser in with a link',
    description: 'Works once per link. The browser gets a cookie that no script can read, and no key.',
    audit: { action: 'session.open', subject: ({ answer }) => [answer['key_id'], answer['device_id']] },
    errors: {
      401: 'The sign-in link was used already, has expired, or is not complete',
      403: 'A page of another site may not use the sign-in of this browser',
      429: 'Too many wrong keys from this address',
    },
  })
  @ApiOkResponse({ type: SessionDto })
  async open(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body() { code, stay }: OpenSessionRequest,
  ): Promise<SessionDto> {
    requireOwnPage(credentialsOf(request), this.settings.PUBLIC_URL);
    const device = deviceNameOf(request.headers['user-agent']);
    const { cookie, key, sessionId } = await this.sessions.openLink(code, request.ip, device);
    new SessionCookies(request, reply).setSession(cookie, stay);
    const grant = await this.keys.grantOf(key);
    if (grant === undefined) throw new Unauthorized('The API key was revoked');
    request.scope = scopeOf(key.appId, grant.permissions, key.id, grant); // for the audit log
    const stored = await this.keys.find(key.appId, key.id);
    return {
      signed_in_by: 'browser',
      name: stored?.name ?? null,
      end_user_id: grant.endUserId,
      groups: [...grant.groups],
      scopes: [...request.scope.permissions],
      key_id: key.id,
      device_id: sessionId,
      returns_alone: grant.isAccount,
      may_add_device: this.sessions.linkRefusal(request.scope, true, grant) === null,
    };
  }

  @Delete()
  @Route({
    operationId: 'endSession',
    permission: 'open',
    summary: 'Sign this browser out',
    description: 'Ends the session of the cookie. A key goes on working.',
    audit: { action: 'session.end', subject: () => [] },
    errors: { 403: 'A page of another site may not use the sign-in of this browser' },
  })
  @ApiOkResponse({ type: SignedOutDto })
  async end(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignedOutDto> {
    const credentials = credentialsOf(request);
    requireOwnPage(credentials, this.settings.PUBLIC_URL);
    request.scope = await this.scopeOf(request); // for the audit log
    const cookie = sessionCookieOf(request); // ends also where a proxy names the person
    new SessionCookies(request, reply).endSession();
    const atProvider = cookie === undefined ? null : await this.sessions.end(cookie, this.publicUrl.of('/'));
    const atProxy = this.settings.PROXY_SIGN_OUT_URL ?? null;
    return { sign_out_url: credentials.proxy === null ? atProvider : atProxy };
  }

  /** Returns null without a valid credential. */
  private async scopeOf(request: FastifyRequest): Promise<Scope | null> {
    try {
      return await this.authenticator.authenticate(credentialsOf(request));
    } catch (error) {
      if (error instanceof Unauthorized || error instanceof Forbidden) return null;
      throw error;
    }
  }

  /** Leads a browser to the sign-in form, which gives the reason. */
  private leadBack(reply: FastifyReply, error: unknown): void {
    if (!(error instanceof LecternError)) throw error;
    lead(reply, this.publicUrl.of(`/#/signed-out/${reasonOf(error)}`));
  }
}

function reasonOf(error: LecternError): string {
  if (error instanceof Unavailable) return 'unavailable';
  if (error instanceof AccessEnded) return 'ended';
  return error instanceof Forbidden ? 'uninvited' : 'refused';
}

const NOBODY: SessionDto = {
  signed_in_by: 'nobody',
  name: null,
  end_user_id: null,
  groups: [],
  scopes: [],
  key_id: null,
  device_id: null,
  returns_alone: true,
  may_add_device: false,
};

function signedInBy(isKey: boolean, isBrowser: boolean, isLent: boolean): SessionDto['signed_in_by'] {
  if (isLent) return 'access token';
  if (isKey) return 'key';
  return isBrowser ? 'browser' : 'proxy';
}

function lead(reply: FastifyReply, url: string): void {
  void reply.status(303).header('location', url).header('cache-control', 'no-store').send();
}
