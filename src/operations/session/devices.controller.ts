import { Controller, Delete, Get, Param, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { credentialsOf } from '../../auth/credentials.js';
import { BrowserSessions } from '../../auth/people/browser-sessions.js';
import type { Scope } from '../../auth/scope.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { SuccessDto } from '../../http/error.dto.js';
import { PublicUrl } from '../../http/links.js';
import { Route } from '../../http/route.decorator.js';
import { DeviceDto, DeviceLinkDto, DevicePath } from './session.dto.js';

const ANY = ['read', 'query', 'write', 'admin'] as const;

/** The browsers in which a person is signed in. */
@ApiTags('tenants')
@Controller('devices')
export class DevicesController {
  constructor(
    private readonly sessions: BrowserSessions,
    private readonly publicUrl: PublicUrl,
  ) {}

  @Get()
  @Route({
    operationId: 'listDevices',
    permission: ANY,
    summary: 'List the browsers in which the caller is signed in, newest first',
  })
  @ApiOkResponse({ type: [DeviceDto] })
  async list(@CurrentScope() scope: Scope, @Req() request: FastifyRequest): Promise<DeviceDto[]> {
    const { session } = credentialsOf(request);
    const own = session === undefined ? null : this.sessions.idOf(session);
    return (await this.sessions.devicesOf(scope)).map(({ id, device, createdAt }) => ({
      id,
      name: device,
      is_this: id === own,
      signed_in_at: createdAt.toISOString(),
    }));
  }

  @Post('link')
  @Route({
    idempotency: 'secret',
    operationId: 'createDeviceLink',
    permission: ANY,
    summary: 'Create a link that signs another device of the caller in',
    description:
      'The link works once, within five minutes. A new one replaces it. Only a browser that is signed in, or a key with `admin`, makes one (403), and nobody who signs in at an identity provider or a proxy (409).',
    audit: { action: 'session.device_link', subject: ({ answer }) => [answer['expires_at']] },
    errors: {
      404: 'The key of this request cannot be used on another device',
      409: 'You sign in at an identity provider or a proxy: sign in there on the other device too',
    },
  })
  @ApiOkResponse({ type: DeviceLinkDto })
  async link(@CurrentScope() scope: Scope, @Req() request: FastifyRequest): Promise<DeviceLinkDto> {
    const isBrowser = credentialsOf(request).session !== undefined;
    const { code, expiresAt } = await this.sessions.linkFor(scope, isBrowser);
    return { url: this.publicUrl.of(`/#/sign-in/${code}`), expires_at: expiresAt.toISOString() };
  }

  @Delete(':device_id')
  @Route({
    operationId: 'endDevice',
    permission: ANY,
    summary: 'Sign a device of the caller out',
    description: 'The device is signed out within a second.',
    audit: { action: 'session.end', subject: ({ params }) => [params['device_id']] },
    errors: { 404: 'Device not found' },
  })
  @ApiOkResponse({ type: SuccessDto })
  async end(@CurrentScope() scope: Scope, @Param() { device_id: id }: DevicePath): Promise<SuccessDto> {
    await this.sessions.endOf(scope, id);
    return { status: 'success', message: 'The device is signed out' };
  }
}
