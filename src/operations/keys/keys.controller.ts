import { Body, Controller, Delete, Get, Param, Post, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { BrowserTokenService } from '../../auth/browser-token.service.js';
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
  IssuedKeyDto,
  KeyDto,
  KeysQuery,
  SignInLinkDto,
  SignInLinkQuery,
  SignInRequest,
  toIssuedKeyDto,
  toKeyDto,
} from './keys.dto.js';

@ApiTags('tenants')
@Controller('keys')
export class KeysController {
  constructor(
    private readonly service: KeyService,
    private readonly signIns: SignInService,
    private readonly tokens: BrowserTokenService,
    private readonly publicUrl: PublicUrl,
  ) {}

  @Post()
  @Route({
    permission: 'admin',
    summary: 'Create an API key',
    description: 'Only this response contains the key.',
    assignsEndUser: true,
    audit: {
      action: 'key.create',
      subject: ({ body, answer }) => [answer['app_id'] ?? body['app_id'], answer['id'], body['name']],
    },
    errors: { 409: 'The application is being deleted' },
  })
  @ApiOkResponse({ type: IssuedKeyDto })
  async createKey(@CurrentScope() scope: Scope, @Body() body: CreateKeyDto): Promise<IssuedKeyDto> {
    return toIssuedKeyDto(
      await this.service.issue({
        appId: administered(scope, body.app_id),
        name: body.name,
        permissions: body.scopes,
        endUserId: body.end_user_id,
        networks: body.networks,
        lifetimeSeconds: body.expires_in ?? undefined,
      }),
    );
  }

  @Get()
  @Route({ permission: 'admin', summary: 'List the API keys of the tenant, newest first' })
  @ApiOkResponse({ type: [KeyDto] })
  async listKeys(@CurrentScope() scope: Scope, @Query() { app_id }: KeysQuery): Promise<KeyDto[]> {
    return (await this.service.list({ appId: administered(scope, app_id ?? null) })).map(toKeyDto);
  }

  @Delete(':id')
  @Route({
    permission: 'admin',
    summary: 'Revoke an API key',
    description: 'The key stops working within a second.',
    audit: { action: 'key.revoke', subject: ({ query, params }) => [query['app_id'], params['id']] },
    errors: { 404: 'Key not found' },
  })
  @ApiParam({ name: 'id', description: 'Id of the key, as listed by GET /keys.' })
  @ApiOkResponse({ type: SuccessDto })
  async revokeKey(
    @CurrentScope() scope: Scope,
    @Param('id') id: string,
    @Query() { app_id }: KeysQuery,
  ): Promise<SuccessDto> {
    await this.service.revoke({ appId: administered(scope, app_id ?? null) }, id);
    return { status: 'success', message: `Key ${id} revoked` };
  }

  @Post(':id/sign_in_link')
  @Route({
    permission: 'admin',
    summary: 'Create a sign-in link for an API key',
    description:
      'The first person who opens the link gets the key. A link works once; a new link for the key replaces the previous one.',
    audit: { action: 'key.sign_in_link', subject: ({ query, params }) => [query['app_id'], params['id']] },
    errors: { 404: 'Key not found' },
  })
  @ApiParam({ name: 'id', description: 'Id of the key, as listed by GET /keys.' })
  @ApiOkResponse({ type: SignInLinkDto })
  async signInLink(
    @CurrentScope() scope: Scope,
    @Param('id') id: string,
    @Query() { app_id, expires_in }: SignInLinkQuery,
  ): Promise<SignInLinkDto> {
    const tenant = administered(scope, app_id ?? null);
    const { code, expiresAt } = await this.signIns.codeFor({ appId: tenant }, id, expires_in);
    return { url: this.publicUrl.of(`/#/sign-in/${code}`), expires_at: expiresAt.toISOString() };
  }

  @Post(':id/token')
  @Route({
    permission: ['read', 'query', 'write', 'admin'],
    summary: 'Create a short-lived browser token for a key',
    description:
      'A server creates tokens for its own key and passes them to its pages; an administrator creates them for any key of the tenant. A token may call `POST /query`, `/retrieve/*` and `/v1/chat/completions`. It cannot create tokens, and it stops working with its key.',
    errors: { 404: 'Key not found' },
  })
  @ApiParam({ name: 'id', description: 'Id of the key, as listed by GET /keys.' })
  @ApiOkResponse({ type: BrowserTokenDto })
  async token(
    @CurrentScope() scope: Scope,
    @Param('id') id: string,
    @Body() body: CreateTokenDto,
  ): Promise<BrowserTokenDto> {
    const issued = await this.tokens.issue(scope, id, {
      permissions: body.scopes,
      endUserId: body.end_user_id,
      bound: {
        folder: body.folder_name,
        filter: body.filters === null ? null : printJson(body.filters),
      },
      lifetimeSeconds: body.expires_in,
    });
    return {
      token: issued.token,
      scopes: [...issued.permissions],
      end_user_id: issued.endUserId,
      expires_at: issued.expiresAt.toISOString(),
    };
  }

  @Post('sign_in')
  @Route({
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
