import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Scope } from '../../auth/scope.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { Route } from '../../http/route.decorator.js';
import { AppStorageDto, UsageService } from './usage.service.js';

@ApiTags('usage')
@Controller('usage')
export class UsageController {
  constructor(private readonly service: UsageService) {}

  @Get('app-storage')
  @Route({ permission: 'read', summary: 'What the tenant stores, in MB' })
  @ApiOkResponse({ type: AppStorageDto })
  appStorage(@CurrentScope() scope: Scope): Promise<AppStorageDto> {
    return this.service.appStorage(scope);
  }
}
