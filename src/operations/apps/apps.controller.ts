import { Body, Controller, Delete, Get, Patch, Post, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { Scope } from '../../auth/scope.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { FormFields, readForm } from '../../http/forms.js';
import { Route } from '../../http/route.decorator.js';
import { AppList } from './app-list.js';
import { AppService } from './app.service.js';
import {
  AppListDto,
  AppsQuery,
  CloudUriAnswerDto,
  CloudUriDto,
  DeleteAppQuery,
  DeletedAppDto,
  LocalUriDto,
  LocalUriForm,
  RenamedAppDto,
  RenameQuery,
  RotatedAppDto,
  RotateQuery,
} from './apps.dto.js';

@ApiTags('tenants')
@Controller()
export class AppsController {
  constructor(
    private readonly service: AppService,
    private readonly apps: AppList,
  ) {}

  @Post('local/generate_uri')
  @Route({
    operationId: 'generateLocalUri',
    permission: 'open',
    summary: 'Create a connection URI with an operator key',
    description:
      'Creates the application if it does not exist. An existing application gets an additional key.',
    form: true,
    audit: { action: 'app.key', subject: ({ body }) => [body['name']] },
    errors: {
      400: 'The form is malformed, contains a file, or is too long',
      401: 'The API key is not valid',
      403: 'Only an admin key of the default tenant may create and rename applications',
      409: 'The application is being deleted',
      429: 'Too many wrong keys from this address',
    },
  })
  @FormFields(LocalUriForm)
  @ApiOkResponse({ type: LocalUriDto })
  async localUri(@Req() request: FastifyRequest): Promise<LocalUriDto> {
    return this.service.localUri(await readForm(request), request.ip, (scope) => {
      request.scope = scope;
    });
  }

  @Post('cloud/generate_uri')
  @Route({
    idempotency: 'secret',
    operationId: 'generateCloudUri',
    permission: 'admin',
    summary: 'Create an application',
    description:
      'Needs an admin key of the default tenant. The key in the URI has all permissions in the new application.',
    audit: { action: 'app.create', subject: ({ body, answer }) => [answer['app_id'], body['name']] },
    errors: { 409: 'An application with this name or id exists' },
  })
  @ApiOkResponse({ type: CloudUriAnswerDto })
  create(@CurrentScope() scope: Scope, @Body() body: CloudUriDto): Promise<CloudUriAnswerDto> {
    return this.service.create(scope, body);
  }

  @Get('apps')
  @Route({
    operationId: 'listApps',
    permission: 'admin',
    summary: 'List applications, newest first',
    description: 'Admin keys of the default tenant get all applications; other keys get only their own.',
  })
  @ApiOkResponse({ type: AppListDto })
  list(@CurrentScope() scope: Scope, @Query() query: AppsQuery): Promise<AppListDto> {
    return this.apps.list(scope, query);
  }

  @Delete('apps')
  @Route({
    operationId: 'deleteApp',
    permission: 'admin',
    summary: 'Delete an application and all its data',
    description:
      'Its keys stop working within a second. Removal of the data may continue after the response.',
    audit: { action: 'app.delete', subject: ({ query }) => [query['app_name']] },
    errors: { 404: 'Application not found', 409: 'The default application cannot be deleted' },
  })
  @ApiOkResponse({ type: DeletedAppDto })
  delete(@CurrentScope() scope: Scope, @Query() { app_name }: DeleteAppQuery): Promise<DeletedAppDto> {
    return this.service.delete(scope, app_name);
  }

  @Post('apps/rotate_token')
  @Route({
    idempotency: 'secret',
    operationId: 'rotateAppToken',
    permission: 'admin',
    summary: 'Rotate the keys of an application',
    description:
      'Revokes all keys within a second and returns a new one. People who sign in at a provider or proxy sign in again; people who sign in by a link need a new one.',
    audit: { action: 'app.rotate_keys', subject: ({ query }) => [query['app_id'], query['app_name']] },
    errors: { 404: 'Application not found' },
  })
  @ApiOkResponse({ type: RotatedAppDto })
  rotate(@CurrentScope() scope: Scope, @Query() query: RotateQuery): Promise<RotatedAppDto> {
    return this.service.rotate(scope, query);
  }

  @Patch('apps/rename')
  @Route({
    operationId: 'renameApp',
    permission: 'admin',
    summary: 'Rename an application',
    description: 'Needs an admin key of the default tenant. Id and keys do not change.',
    audit: {
      action: 'app.rename',
      subject: ({ query }) => [query['app_id'], query['app_name'], query['new_name']],
    },
    errors: { 404: 'Application not found', 409: 'An application with this name exists' },
  })
  @ApiOkResponse({ type: RenamedAppDto })
  rename(@CurrentScope() scope: Scope, @Query() query: RenameQuery): Promise<RenamedAppDto> {
    return this.service.rename(scope, query);
  }
}
