import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import { KeyService } from '../../auth/key.service.js';
import { administered, type Scope } from '../../auth/scope.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { Route } from '../../http/route.decorator.js';
import { SuccessDto } from '../../http/success.dto.js';
import { CreateKeyDto, IssuedKeyDto, KeyDto, KeysQuery, toIssuedKeyDto, toKeyDto } from './keys.dto.js';

@ApiTags('tenants')
@Controller('keys')
export class KeysController {
  constructor(private readonly service: KeyService) {}

  @Post()
  @Route({
    permission: 'admin',
    summary: 'Create an API key',
    description: 'The key is in this answer and nowhere else.',
    errors: { 409: 'The application is being deleted' },
  })
  @ApiOkResponse({ type: IssuedKeyDto })
  async createKey(@CurrentScope() scope: Scope, @Body() body: CreateKeyDto): Promise<IssuedKeyDto> {
    return toIssuedKeyDto(
      await this.service.issue({
        appId: administered(scope, body.app_id),
        name: body.name,
        permissions: body.scopes,
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
    description: 'It stops working within a second.',
    errors: { 404: 'Key not found' },
  })
  @ApiParam({ name: 'id', description: 'Identifier of the key, as GET /keys lists it.' })
  @ApiOkResponse({ type: SuccessDto })
  async revokeKey(
    @CurrentScope() scope: Scope,
    @Param('id') id: string,
    @Query() { app_id }: KeysQuery,
  ): Promise<SuccessDto> {
    await this.service.revoke({ appId: administered(scope, app_id ?? null) }, id);
    return { status: 'success', message: `Key ${id} revoked` };
  }
}
