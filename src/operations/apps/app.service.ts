import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In, QueryFailedError, type EntityManager } from 'typeorm';
import type { AppEntity } from '../../auth/app.entity.js';
import { AppRepository, type AppReference } from '../../auth/app.repository.js';
import { Authenticator } from '../../auth/authenticator.js';
import { PeopleRepository } from '../../auth/people/people.repository.js';
import { KeyRepository } from '../../auth/key.repository.js';
import { KeyService } from '../../auth/key.service.js';
import { DEFAULT_TENANT, isOperator, requireFullReach, type Scope, shardIds } from '../../auth/scope.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { DocumentEntity } from '../../corpus/document.entity.js';
import { FolderEntity } from '../../corpus/folder.entity.js';
import { Conflict, Forbidden, NotFound } from '../../errors/index.js';
import { readInput } from '../../http/input/input.pipe.js';
import { PublicUrl } from '../../http/links.js';
import {
  DEFAULT_DAYS,
  LocalUriForm,
  type CloudUriAnswerDto,
  type CloudUriDto,
  type DeletedAppDto,
  type LocalUriDto,
  type RenamedAppDto,
  type RenameQuery,
  type RotatedAppDto,
  type RotateQuery,
} from './apps.dto.js';
import { TenantRemoval } from './tenant-removal.js';

const DAY_SECONDS = 86_400;

const UNIQUE_VIOLATION = '23505';

/**
 * Creates, renames and deletes tenants, and rotates their keys. An operator manages all tenants. Any other
 * administrator can rotate the keys of their own tenant and delete this tenant, but cannot find out which other tenants
 * exist.
 */
@Injectable()
export class AppService {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly dataSource: DataSource,
    private readonly apps: AppRepository,
    private readonly keyRepository: KeyRepository,
    private readonly keys: KeyService,
    private readonly people: PeopleRepository,
    private readonly authenticator: Authenticator,
    private readonly removal: TenantRemoval,
    private readonly publicUrl: PublicUrl,
  ) {}

  /**
   * Creates a key for a tenant. Creates the tenant if it does not exist.
   *
   * @param members fields of the form by name
   * @param address address of the client
   * @param onIdentified receives the scope of the key in `password_token`
   * @throws Unauthorized for an invalid `password_token`, TooManyRequests after too many invalid keys, Forbidden if the
   * key does not belong to an operator.
   */
  async localUri(
    members: Readonly<Record<string, string>>,
    address: string,
    onIdentified: (scope: Scope) => void,
  ): Promise<LocalUriDto> {
    const form = readInput(LocalUriForm, members, ['body'], this.settings);
    const operator = await this.authenticator.identify(form.password_token, address);
    onIdentified(operator);
    requireOperator(operator);
    const { name } = form;
    return this.dataSource.transaction(async (manager) => {
      await this.apps.insert(randomUUID(), name, manager);
      const app = await this.apps.findByName(name, manager);
      if (app === null) throw new Conflict('The application is being deleted');
      return { uri: await this.uriOf(app, form.expiry_days, manager) };
    });
  }

  /** Creates a tenant and its first key. @throws Conflict if the name or id exists. */
  async create(scope: Scope, input: CloudUriDto): Promise<CloudUriAnswerDto> {
    requireOperator(scope);
    const { name } = input;
    const appId = input.app_id ?? randomUUID();
    return this.dataSource.transaction(async (manager) => {
      if (!(await this.apps.insert(appId, name, manager, input.parts))) {
        throw new Conflict('An application with this name or id exists');
      }
      const uri = await this.uriOf({ appId, name }, input.expiry_days ?? DEFAULT_DAYS, manager);
      return { uri, app_id: appId };
    });
  }

  /**
   * Revokes all keys of a tenant and creates a new key, in one transaction. People who sign in elsewhere sign in again.
   * @throws NotFound
   */
  async rotate(scope: Scope, query: RotateQuery): Promise<RotatedAppDto> {
    const { app_id: appId, app_name: name, expiry_days: days } = query;
    requireFullReach(scope);
    return this.dataSource.transaction(async (manager) => {
      const app = await this.apps.lock(manager, { appId: ownOr(scope, appId), name });
      if (app === null) throw appNotFound();
      await this.people.renew(app.appId, () => this.keyRepository.revokeAll(app.appId, manager), manager);
      const version = await this.apps.countRotation(manager, app);
      const uri = await this.uriOf(app, days, manager);
      return { app_id: app.appId, app_name: app.name, token_version: version, uri };
    });
  }

  /**
   * Renames a tenant.
   * @throws NotFound; Conflict if another tenant has the name, or if the tenant is the default tenant.
   */
  async rename(
    scope: Scope,
    { app_id: appId, app_name: name, new_name: newName }: RenameQuery,
  ): Promise<RenamedAppDto> {
    requireOperator(scope);
    try {
      return await this.dataSource.transaction(async (manager) => {
        const app = await this.apps.lock(manager, { appId, name });
        if (app === null) throw appNotFound();
        if (app.appId === DEFAULT_TENANT) throw new Conflict('The default application cannot be renamed');
        await this.apps.rename(manager, app.appId, newName);
        return { app_id: app.appId, app_name: newName, uri: null };
      });
    } catch (error) {
      const { code } = (error instanceof QueryFailedError ? error.driverError : {}) as { code?: string };
      if (code === UNIQUE_VIOLATION) throw new Conflict('An application with this name exists');
      throw error;
    }
  }

  /**
   * Deletes the keys of a tenant at once, and then its data. If the request ends first, the deletion continues.
   *
   * @throws NotFound; Conflict for the default tenant.
   */
  async delete(scope: Scope, name: string): Promise<DeletedAppDto> {
    requireFullReach(scope);
    const { app, documents, folders } = await this.dataSource.transaction(async (manager) => {
      const found = await this.apps.lockToRemove(manager, { appId: ownOr(scope, undefined), name });
      if (found === null) throw appNotFound();
      if (found.appId === DEFAULT_TENANT) throw new Conflict('The default application cannot be deleted');
      await this.apps.markRemoved(manager, found.appId);
      await this.keyRepository.deleteAll(found.appId, manager);
      return {
        app: found,
        documents: await manager.countBy(DocumentEntity, { app_id: In(shardIds(found)) }),
        folders: await manager.countBy(FolderEntity, { appId: found.appId }),
      };
    });
    await this.removal.finish(app.appId);
    return { app_name: app.name, status: 'deleted', documents_deleted: documents, folders_deleted: folders };
  }

  /** Creates an admin key of a tenant. Returns a connection URI that contains it. */
  private async uriOf(
    { appId, name }: Pick<AppEntity, 'appId' | 'name'>,
    days: number,
    manager: EntityManager,
  ): Promise<string> {
    const { token } = await this.keys.issue(
      { appId, name: `uri of ${name}`, permissions: ['admin'], lifetimeSeconds: days * DAY_SECONDS },
      manager,
    );
    return `morphik://${encodeURIComponent(name)}:${token}@${new URL(this.publicUrl.of('/')).host}`;
  }
}

function requireOperator(scope: Scope): void {
  if (!isOperator(scope)) {
    throw new Forbidden('Only an admin key of the default tenant may create and rename applications');
  }
}

/**
 * Returns the tenant id to look up: the given id for an operator, and the caller's own tenant id for others.
 *
 * @throws NotFound if a caller who is not an operator names another tenant.
 */
function ownOr(scope: Scope, appId: string | undefined): AppReference['appId'] {
  if (isOperator(scope)) return appId;
  if (appId === undefined || appId === scope.appId) return scope.appId;
  throw appNotFound();
}

/**
 * Returns the error for a tenant that does not exist or that the caller may not see. The message is the same for both.
 */
function appNotFound(): NotFound {
  return new NotFound('Application not found');
}
