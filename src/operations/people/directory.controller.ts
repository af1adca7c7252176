import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Scope } from '../../auth/scope.js';
import { Forbidden } from '../../errors/index.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { Route } from '../../http/route.decorator.js';
import { DirectoryQuery, NamedDto } from './people.dto.js';
import { PeopleListRepository } from './people-list.repository.js';

/** Names instead of ids: for a page that shows who may read something, or asks with whom to share it. */
@ApiTags('tenants')
@Controller('directory')
export class DirectoryController {
  constructor(private readonly people: PeopleListRepository) {}

  @Get()
  @Route({
    operationId: 'searchDirectory',
    permission: 'read',
    summary: 'Find people and groups by name, or their names by id',
    description:
      'Colleagues of a tenant know each other by name: a tenant whose people are customers gives each of them a browser token instead of a key.',
    errors: { 403: 'Searching for people needs the permission "write"' },
  })
  @ApiOkResponse({ type: [NamedDto] })
  async search(
    @CurrentScope() scope: Scope,
    @Query() { q, ids, limit }: DirectoryQuery,
  ): Promise<NamedDto[]> {
    if (q !== undefined && !scope.permissions.has('write')) {
      throw new Forbidden('Searching for people needs the permission "write"');
    }
    const [found, known] = await Promise.all([
      q === undefined ? [] : this.people.named(scope, q, limit),
      ids.length === 0 ? [] : this.people.namesOf(scope, ids),
    ]);
    return [...new Map([...found, ...known].map((one) => [one.id, one])).values()];
  }
}
