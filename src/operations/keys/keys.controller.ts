import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { KeyService } from '../../auth/key.service.js';
import { DEFAULT_TENANT, type Scope } from '../../auth/scope.js';
import { Forbidden } from '../../errors/index.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { Route } from '../../http/route.decorator.js';
import { SuccessDto } from '../../http/success.dto.js';
import { CreateKeyDto, IssuedKeyDto, KeyDto, toIssuedKeyDto, toKeyDto } from './keys.dto.js';

@ApiTags('keys')
@Controller('keys')
export class KeysController {
  constructor(private readonly service: KeyService) {}

  @Post()
  @Route({
    permission: 'admin',
    summary: 'Create an API key',
    description: 'The key is in this answer and nowhere else.',
  })
  @ApiOkResponse({ type: IssuedKeyDto })
  async createKey(@CurrentScope() scope: Scope, @Body() body: CreateKeyDto): Promise<IssuedKeyDto> {
    const appId = body.app_id ?? scope.appId;
    if (appId !== scope.appId && scope.appId !== DEFAULT_TENANT) {
      throw new Forbidden('Only a key of the default tenant makes keys for other tenants');
    }
    return toIssuedKeyDto(
      await this.service.issue({
        appId,
        name: body.name,
        permissions: body.scopes,
        lifetimeSeconds: body.expires_in ?? undefined,
      }),
    );
  }

  @Get()
  @Route({ permission: 'admin', summary: 'List the API keys of the tenant, newest first' })
  @ApiOkResponse({ type: [KeyDto] })
  async listKeys(@CurrentScope() scope: Scope): Promise<KeyDto[]> {
    return (await this.service.list(scope)).map(toKeyDto);
  }

  @Delete(':id')
  @Route({
    permission: 'admin',
    summary: 'Revoke an API key',
    description: 'It stops working within a second.',
    errors: [404],
  })
  @ApiOkResponse({ type: SuccessDto })
  async revokeKey(@CurrentScope() scope: Scope, @Param('id') id: string): Promise<SuccessDto> {
    await this.service.revoke(scope, id);
    return { status: 'success', message: `Key ${id} revoked` };
  }
}
