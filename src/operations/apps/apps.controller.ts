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
    permission: 'open',
    summary: 'A URI to connect with, for a key of the operator',
    description:
      'Makes the application of that name when there is none; an application that is there gets another key.',
    form: true,
    errors: {
      400: 'The form is malformed, has a file, or is too long',
      401: 'The API key is not valid',
      403: 'Only an admin key of the default tenant makes and renames applications',
      409: 'The application is being deleted',
      429: 'Too many wrong keys from this address',
    },
  })
  @FormFields(LocalUriForm)
  @ApiOkResponse({ type: LocalUriDto })
  async localUri(@Req() request: FastifyRequest): Promise<LocalUriDto> {
    return this.service.localUri(await readForm(request), request.ip);
  }

  @Post('cloud/generate_uri')
  @Route({
    permission: 'admin',
    summary: 'Create an application',
    description: 'For admin keys of the default tenant. The key in the URI has every permission there.',
    errors: { 409: 'There is an application of this name or id' },
  })
  @ApiOkResponse({ type: CloudUriAnswerDto })
  create(@CurrentScope() scope: Scope, @Body() body: CloudUriDto): Promise<CloudUriAnswerDto> {
    return this.service.create(scope, body);
  }

  @Get('apps')
  @Route({
    permission: 'admin',
    summary: 'List applications, newest first',
    description: 'All of them for admin keys of the default tenant, the own one for others.',
  })
  @ApiOkResponse({ type: AppListDto })
  list(@CurrentScope() scope: Scope, @Query() query: AppsQuery): Promise<AppListDto> {
    return this.apps.list(scope, query);
  }

  @Delete('apps')
  @Route({
    permission: 'admin',
    summary: 'Delete an application with everything that it has',
    description:
      'Its keys stop working within a second; what is not removed when the answer comes is removed afterwards.',
    errors: { 404: 'Application not found', 409: 'The default application cannot be deleted' },
  })
  @ApiOkResponse({ type: DeletedAppDto })
  delete(@CurrentScope() scope: Scope, @Query() { app_name }: DeleteAppQuery): Promise<DeletedAppDto> {
    return this.service.delete(scope, app_name);
  }

  @Post('apps/rotate_token')
  @Route({
    permission: 'admin',
    summary: 'Replace every key of an application by a new one',
    description: 'The earlier ones stop working within a second.',
    errors: { 404: 'Application not found' },
  })
  @ApiOkResponse({ type: RotatedAppDto })
  rotate(@CurrentScope() scope: Scope, @Query() query: RotateQuery): Promise<RotatedAppDto> {
    return this.service.rotate(scope, query);
  }

  @Patch('apps/rename')
  @Route({
    permission: 'admin',
    summary: 'Rename an application',
    description: 'For admin keys of the default tenant. Its id and its keys stay.',
    errors: { 404: 'Application not found', 409: 'There is an application of this name' },
  })
  @ApiOkResponse({ type: RenamedAppDto })
  rename(@CurrentScope() scope: Scope, @Query() query: RenameQuery): Promise<RenamedAppDto> {
    return this.service.rename(scope, query);
  }
}
