import { Readable } from 'node:stream';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Scope } from '../../auth/scope.js';
import { Invalid } from '../../errors/index.js';
import { eachIn } from '../../http/bundled-calls.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { PublicUrl } from '../../http/links.js';
import { Route } from '../../http/route.decorator.js';
import { begun } from '../../request/begun.js';
import {
  ChangePersonDto,
  InvitedPeopleDto,
  InvitePeopleDto,
  PeoplePageDto,
  PeopleQuery,
  PersonDto,
  PersonPath,
  RemovedPersonDto,
  RemovePersonQuery,
  toPersonDto,
} from './people.dto.js';
import { PersonExport } from './person-export.js';
import { PersonRemoval } from './person-removal.js';
import { TenantPeopleService } from './tenant-people.service.js';

const LINES = 'application/x-ndjson';

const NOBODY = { 404: 'Person not found' };

/** Maximum number of people in an entry of the audit log. */
const SHOWN_PEOPLE = 20;

@ApiTags('tenants')
@Controller('people')
export class PeopleController {
  constructor(
    private readonly people: TenantPeopleService,
    private readonly exports: PersonExport,
    private readonly removal: PersonRemoval,
    private readonly publicUrl: PublicUrl,
  ) {}

  @Get()
  @Route({
    operationId: 'listPeople',
    permission: 'admin',
    summary: 'List the people of the tenant',
    description:
      'A person is whoever has a key with an end user. An administrator with an end user does not learn how many documents and chats the others have.',
  })
  @ApiOkResponse({ type: PeoplePageDto })
  async list(
    @CurrentScope() scope: Scope,
    @Query() { q, scope: permission, group, state, sort, skip, limit }: PeopleQuery,
  ): Promise<PeoplePageDto> {
    const { people, total } = await this.people.page(scope, {
      query: q ?? null,
      permission: permission ?? null,
      group: group ?? null,
      state,
      order: sort,
      skip,
      limit,
    });
    return { people: people.map(({ person, owned }) => toPersonDto(person, owned)), total };
  }

  @Post()
  @Route({
    idempotency: 'secret',
    operationId: 'invitePeople',
    permission: 'admin',
    summary: 'Invite people',
    description:
      'Makes a key and a sign-in link for each of them, for all or for none. Each link works once.',
    isData: () => true, // end users and groups are those of the people
    calls: eachIn('people'),
    audit: {
      action: 'person.invite',
      subject: ({ answer }) =>
        [answer['people'] ?? []]
          .flat()
          .slice(0, SHOWN_PEOPLE)
          .map((one) => (one as { end_user_id: string }).end_user_id),
    },
    errors: { 404: 'Group not found', 409: 'These people have access already: ann' },
  })
  @ApiOkResponse({ type: InvitedPeopleDto })
  async invite(@CurrentScope() scope: Scope, @Body() body: InvitePeopleDto): Promise<InvitedPeopleDto> {
    const people = body.people.map(({ name, end_user_id: id, scopes, groups }) => ({
      name,
      id,
      permissions: scopes,
      groups: groups ?? [],
    }));
    const invited = await this.people.invite(scope, people, body.expires_in);
    return {
      people: invited.map(({ name, code, endUserId, permissions, expiresAt }) => ({
        name,
        url: this.publicUrl.of(`/#/sign-in/${code}`),
        end_user_id: endUserId,
        scopes: [...permissions],
        expires_at: expiresAt.toISOString(),
      })),
    };
  }

  @Get(':person_id')
  @Route({ operationId: 'getPerson', permission: 'admin', summary: 'Get a person', errors: NOBODY })
  @ApiOkResponse({ type: PersonDto })
  async get(@CurrentScope() scope: Scope, @Param() { person_id: id }: PersonPath): Promise<PersonDto> {
    const { person, owned } = await this.people.find(scope, id);
    return toPersonDto(person, owned);
  }

  @Get(':person_id/export')
  @Route({
    operationId: 'exportPerson',
    permission: 'admin',
    summary: 'Export what is stored of a person',
    description:
      'One JSON object per line, by `type`: `person`, then each `document` that the person owns with its text, each uploaded `file`, each `folder` and `vector_store` that the person made, and each `chat`, `conversation` and `response` with its messages, citations and feedback. Original files: GET /documents/{document_id}/file and GET /v1/files/{file_id}/content. Needs a key without an end user.',
    audit: { action: 'person.export', subject: ({ params }) => [params['person_id']] },
    errors: NOBODY,
  })
  @ApiProduces(LINES)
  @ApiOkResponse({ schema: { type: 'string' } })
  async export(
    @CurrentScope() scope: Scope,
    @Param() { person_id: id }: PersonPath,
  ): Promise<StreamableFile> {
    const lines = await begun(this.exports.lines(scope, id));
    return new StreamableFile(Readable.from(lines, { objectMode: false }), { type: LINES });
  }

  @Patch(':person_id')
  @Route({
    operationId: 'changePerson',
    permission: 'admin',
    summary: 'Change name, permissions and groups of a person, or give access back',
    isData: () => true, // groups are those of the person
    audit: {
      action: 'person.change',
      subject: ({ params, body }) => [
        params['person_id'],
        ...(Array.isArray(body['scopes']) ? [`scopes=${body['scopes'].join(',')}`] : []),
        ...(Array.isArray(body['groups'])
          ? [`groups=${body['groups'].slice(0, SHOWN_PEOPLE).join(',')}`]
          : []),
        ...(body['active'] === true ? ['active=true'] : []),
      ],
    },
    errors: {
      ...NOBODY,
      409: 'The identity provider names the person, or makes the person an administrator: change it there',
    },
  })
  @ApiOkResponse({ type: PersonDto })
  async change(
    @CurrentScope() scope: Scope,
    @Param() { person_id: id }: PersonPath,
    @Body() { name, scopes, groups, active }: ChangePersonDto,
  ): Promise<PersonDto> {
    if (active === false) {
      throw Invalid.at(['body', 'active'], 'Value error, DELETE /people/{person_id} ends the access');
    }
    const { person, owned } = await this.people.change(scope, id, {
      name,
      permissions: scopes,
      groups,
      isRestored: active === true,
    });
    return toPersonDto(person, owned);
  }

  @Delete(':person_id')
  @Route({
    operationId: 'removePerson',
    permission: 'admin',
    summary: 'End the access of a person',
    description:
      'The keys of the person stop working within a second, and the person leaves all groups. Documents, files, folders and vector stores are kept, deleted or handed over, chats kept or deleted; only a key without an end user may delete them or hand them over. Unless they are kept, no access list names the person any more, and the webhooks of the person are deleted. A request that was interrupted can be repeated.',
    audit: {
      action: 'person.remove',
      subject: ({ params, query }) => [
        params['person_id'],
        `documents=${fateIn(query['documents'])}`,
        `chats=${fateIn(query['chats'])}`,
        ...(typeof query['to'] === 'string' ? [`to=${query['to']}`] : []),
      ],
    },
    errors: NOBODY,
  })
  @ApiOkResponse({ type: RemovedPersonDto })
  async remove(
    @CurrentScope() scope: Scope,
    @Param() { person_id: id }: PersonPath,
    @Query() { documents, chats, to }: RemovePersonQuery,
  ): Promise<RemovedPersonDto> {
    const removed = await this.removal.remove(scope, id, { documents, chats, to: to ?? null });
    return {
      keys: removed.keys,
      documents_deleted: removed.deletedDocuments,
      documents_handed_over: removed.handedOver,
      files_deleted: removed.deletedFiles,
      folders_deleted: removed.deletedFolders,
      chats_deleted: removed.deletedChats,
    };
  }
}

/** What becomes of things, as the query string says it. */
function fateIn(named: unknown): string {
  return typeof named === 'string' ? named : 'keep';
}
