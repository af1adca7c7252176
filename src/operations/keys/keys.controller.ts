import { Body, Controller, Delete, Get, Param, Post, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { HandOuts } from '../../access/hand-outs.js';
import { userPrincipal } from '../../access/principal.js';
import { BrowserTokenService } from '../../auth/browser-token.service.js';
import { PeopleRepository } from '../../auth/people/people.repository.js';
import { KeyService } from '../../auth/key.service.js';
import { administered, type Scope, scopeOf } from '../../auth/scope.js';
import { SignInService } from '../../auth/sign-in.service.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { PublicUrl } from '../../http/links.js';
import { Route } from '../../http/route.decorator.js';
import { printJson } from '../../json/exact-json.js';
import { SuccessDto } from '../../http/error.dto.js';
import { BrowserTokenDto, CreateTokenDto } from './tokens.dto.js';
import {
  CreateKeyDto,
  InvitationDto,
  IssuedKeyDto,
  KeyDto,
  KeysQuery,
  SignInLinkDto,
  SignInLinkQuery,
  SignInRequest,
  toIssuedKeyDto,
  toKeyDto,
} from './keys.dto.js';
import { Quotas } from '../../quotas/quotas.service.js';

@ApiTags('tenants')
@Controller('keys')
export class KeysController {
  constructor(
    private readonly service: KeyService,
    private readonly signIns: SignInService,
    private readonly tokens: BrowserTokenService,
    private readonly handOuts: HandOuts,
    private readonly publicUrl: PublicUrl,
    private readonly quotas: Quotas,
    private readonly people: PeopleRepository,
  ) {}

  @Post()
  @Route({
    idempotency: 'secret',
    operationId: 'createKey',
    permission: 'admin',
    summary: 'Create an API key',
    description: 'Only this response contains the key.',
    assignsEndUser: true,
    audit: {
      action: 'key.create',
      subject: ({ body, answer }) => [
        answer['app_id'] ?? body['app_id'],
        answer['id'],
        body['name'],
        ...rightsIn(body['scopes'], body['end_user_id']),
      ],
    },
    errors: { 409: 'The application is being deleted' },
  })
  @ApiOkResponse({ type: IssuedKeyDto })
  async createKey(@CurrentScope() scope: Scope, @Body() body: CreateKeyDto): Promise<IssuedKeyDto> {
    if (body.end_user_id !== null) await this.handOuts.require(scope, userPrincipal(body.end_user_id));
    return toIssuedKeyDto(
      await this.service.create(scope, {
        appId: administered(scope, body.app_id),
        name: body.name,
        permissions: body.scopes,
        endUserId: body.end_user_id,
        networks: body.networks,
        lifetimeSeconds: body.expires_in ?? undefined,
        allowance: {
          quotas: body.quotas,
          models: body.models,
          maxAnswerTokens: body.max_answer_tokens,
        },
      }),
    );
  }

  @Get()
  @Route({
    operationId: 'listKeys',
    permission: 'admin',
    summary: 'List the API keys of the tenant, newest first',
  })
  @ApiOkResponse({ type: [KeyDto] })
  async listKeys(@CurrentScope() scope: Scope, @Query() { app_id }: KeysQuery): Promise<KeyDto[]> {
    const appId = administered(scope, app_id ?? null);
    const [keys, accounts] = await Promise.all([
      this.service.list({ appId }),
      this.people.accountKeys(appId),
    ]);
    return keys.map((key) => toKeyDto(key, accounts));
  }

  @Delete(':id')
  @Route({
    operationId: 'revokeKey',
    permission: 'admin',
    summary: 'Revoke an API key',
    description:
      'The key stops working within a second. With the last key of a person, links to the chats of this person stop working too.',
    audit: { action: 'key.revoke', subject: ({ query, params }) => [query['app_id'], params['id']] },
    errors: { 404: 'Key not found', 409: 'This is the last admin key without an end user' },
  })
  @ApiParam({ name: 'id', description: 'Id of the key, as listed by GET /keys.' })
  @ApiOkResponse({ type: SuccessDto })
  async revokeKey(
    @CurrentScope() scope: Scope,
    @Param('id') id: string,
    @Query() { app_id }: KeysQuery,
  ): Promise<SuccessDto> {
    await this.service.revoke({ appId: administered(scope, app_id ?? null) }, id, scope);
    return { status: 'success', message: `Key ${id} revoked` };
  }

  @Post(':id/sign_in_link')
  @Route({
    idempotency: 'secret',
    operationId: 'createSignInLink',
    permission: 'admin',
    summary: 'Create a sign-in link for an API key',
    description:
      'The first person who opens the link gets the key. A link works once; a new link for the key replaces the previous one.',
    audit: {
      action: 'key.sign_in_link',
      subject: ({ query, params, answer }) => [
        query['app_id'],
        params['id'],
        ...(answer['url'] === undefined ? [] : rightsIn(answer['scopes'], answer['end_user_id'])),
      ],
    },
    errors: { 404: 'Key not found', 409: 'The person signs in at the identity provider, and needs no link' },
  })
  @ApiParam({ name: 'id', description: 'Id of the key, as listed by GET /keys.' })
  @ApiOkResponse({ type: SignInLinkDto })
  async signInLink(
    @CurrentScope() scope: Scope,
    @Param('id') id: string,
    @Query() { app_id, expires_in }: SignInLinkQuery,
  ): Promise<SignInLinkDto> {
    const tenant = administered(scope, app_id ?? null);
    const made = await this.signIns.codeFor({ appId: tenant }, id, expires_in, scope);
    return {
      url: this.publicUrl.of(`/#/sign-in/${made.code}`),
      end_user_id: made.endUserId,
      scopes: [...made.permissions],
      expires_at: made.expiresAt.toISOString(),
    };
  }

  @Post(':id/token')
  @Route({
    idempotency: 'secret',
    operationId: 'createToken',
    permission: ['read', 'query', 'write', 'admin'],
    summary: 'Create a short-lived browser token for a key',
    isData: () => true, // end user and groups are those of the token
    description:
      'A server creates tokens for its own key and passes them to its pages; an administrator without a person creates them for any key of the tenant, and a person only for this person. A token sees the documents of its end user and those that everyone in the tenant may read. Each scope of it opens some routes; `read` and `query` open `/retrieve/*`, `POST /query` and `/v1/chat/completions`. It cannot create tokens, and it stops working with its key.',
    audit: {
      action: 'key.token',
      subject: ({ params, body, answer }) => [
        params['id'],
        ...rightsIn(answer['scopes'] ?? body['scopes'], answer['end_user_id'] ?? body['end_user_id']),
      ],
    },
    errors: { 404: 'Key not found' },
  })
  @ApiParam({ name: 'id', description: 'Id of the key, as listed by GET /keys.' })
  @ApiOkResponse({ type: BrowserTokenDto })
  async token(
    @CurrentScope() scope: Scope,
    @Param('id') id: string,
    @Body() body: CreateTokenDto,
  ): Promise<BrowserTokenDto> {
    const counted = { ...scope, endUserId: scope.endUserId ?? body.end_user_id };
    await this.quotas.use(counted, 'browser_tokens', 1);
    const issued = await this.tokens.issue(scope, id, {
      uses: body.scopes,
      endUserId: body.end_user_id,
      groups: body.groups,
      bound: {
        folder: body.folder_name,
        filter: body.filters === null ? null : printJson(body.filters),
      },
      limits: {
        models: body.models ?? [],
        maxAnswerTokens: body.max_answer_tokens,
        questionsPerMinute: body.questions_per_minute,
      },
      lifetimeSeconds: body.expires_in,
    });
    return {
      token: issued.token,
      scopes: [...issued.uses],
      end_user_id: issued.endUserId,
      expires_at: issued.expiresAt.toISOString(),
    };
  }

  @Post('invitation')
  @Route({
    operationId: 'getInvitation',
    permission: 'open',
    summary: 'Show whose account a sign-in link opens',
    description: 'The link stays unused.',
    errors: {
      401: 'The sign-in link was used already, has expired, or is not complete',
      429: 'Too many wrong keys from this address',
    },
  })
  @ApiOkResponse({ type: InvitationDto })
  async invitation(@Req() request: FastifyRequest, @Body() { code }: SignInRequest): Promise<InvitationDto> {
    const { name, endUserId, permissions, expiresAt } = await this.signIns.invitationOf(code, request.ip);
    return { name, end_user_id: endUserId, scopes: [...permissions], expires_at: expiresAt.toISOString() };
  }

  @Post('sign_in')
  @Route({
    operationId: 'signIn',
    permission: 'open',
    summary: 'Exchange a sign-in link for its API key',
    description: 'Works once per link, until the link expires.',
    audit: { action: 'key.sign_in', subject: ({ answer }) => [answer['app_id'], answer['id']] },
    errors: {
      401: 'The sign-in link was used already, has expired, or is not complete',
      429: 'Too many wrong keys from this address',
    },
  })
  @ApiOkResponse({ type: IssuedKeyDto })
  async signIn(@Req() request: FastifyRequest, @Body() { code }: SignInRequest): Promise<IssuedKeyDto> {
    const issued = await this.signIns.keyOf(code, request.ip);
    const { appId, permissions, id, endUserId } = issued.stored;
    request.scope = scopeOf(appId, permissions, id, { endUserId }); // the audit log names the new key
    return toIssuedKeyDto(issued);
  }
}

/** Permissions and person of a key or token, as the audit log shows them. */
function rightsIn(scopes: unknown, endUserId: unknown): string[] {
  return [
    `scopes=${Array.isArray(scopes) ? scopes.join(',') : 'all'}`,
    `person=${typeof endUserId === 'string' ? endUserId : 'none'}`,
  ];
}
