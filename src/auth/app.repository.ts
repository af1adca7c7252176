import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  In,
  IsNull,
  MoreThan,
  Not,
  type EntityManager,
  type FindOptionsWhere,
  type Repository,
} from 'typeorm';
import { AppEntity } from './app.entity.js';
import { shardIds } from './scope.js';

/** Identifies a tenant by id, by name, or by both. If both are given, they must belong to the same tenant. */
export interface AppReference {
  readonly appId?: string | undefined;
  readonly name?: string | undefined;
}

/** Stores tenants. {@link AppRepository.lock} does not find a tenant that is being removed. */
@Injectable()
export class AppRepository {
  constructor(@InjectRepository(AppEntity) private readonly apps: Repository<AppEntity>) {}

  /**
   * Inserts the row of a tenant, and a row for each further shard.
   * @returns false if a tenant already has this id or name; the caller must then roll the transaction back.
   */
  async insert(appId: string, name: string, manager: EntityManager, shards = 1): Promise<boolean> {
    const [, ...others] = shardIds({ appId, shards });
    const inserted = await manager
      .createQueryBuilder()
      .insert()
      .into(AppEntity)
      .values([{ appId, name, shards }, ...others.map((id) => ({ appId: id, name: id, shards: 0 }))])
      .orIgnore()
      .updateEntity(false)
      .returning('app_id')
      .execute();
    return (inserted.raw as unknown[]).length === shards;
  }

  async findByName(name: string, manager: EntityManager): Promise<AppEntity | null> {
    return manager.findOneBy(AppEntity, { name });
  }

  /**
   * Locks a tenant until the transaction of `manager` ends. Changes of the tenant therefore run one after the other,
   * and new keys wait for them.
   * @returns null if the tenant is unknown or is being removed
   */
  async lock(manager: EntityManager, reference: AppReference): Promise<AppEntity | null> {
    return manager.findOne(AppEntity, {
      where: { ...keyOf(reference), removingSince: IsNull() },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** Like {@link lock}, but also finds a tenant that is being removed. */
  async lockToRemove(manager: EntityManager, reference: AppReference): Promise<AppEntity | null> {
    const lock = { mode: 'pessimistic_write' } as const;
    const app = await manager.findOne(AppEntity, { where: keyOf(reference), lock });
    const [, ...others] = app === null ? [] : shardIds(app);
    if (others.length > 0) await manager.find(AppEntity, { where: { appId: In(others) }, lock });
    return app;
  }

  /** Returns the `app_id` of each shard of a tenant, the tenant's own id first. */
  async shardIds(appId: string): Promise<string[]> {
    const app = await this.apps.findOneBy({ appId });
    return shardIds({ appId, shards: app?.shards ?? 1 });
  }

  /** Returns when a tenant was made; null: it is unknown. */
  async madeAt(appId: string): Promise<Date | null> {
    return (await this.apps.findOneBy({ appId }))?.createdAt ?? null;
  }

  /** Returns the ids of the tenants that are being removed, oldest request first. */
  async removing(): Promise<string[]> {
    const rows = await this.apps.find({
      select: { appId: true },
      where: { removingSince: Not(IsNull()) },
      order: { removingSince: 'ASC' },
    });
    return rows.map(({ appId }) => appId);
  }

  async markRemoved(manager: EntityManager, appId: string): Promise<void> {
    await manager.update(
      AppEntity,
      { appId, removingSince: IsNull() },
      { removingSince: () => 'statement_timestamp()' },
    );
  }

  async delete(manager: EntityManager, app: AppEntity): Promise<void> {
    await manager.delete(AppEntity, { appId: In(shardIds(app)) });
  }

  async rename(manager: EntityManager, appId: string, name: string): Promise<void> {
    await manager.update(AppEntity, { appId }, { name });
  }

  /** Counts a key rotation. @returns the new number of rotations */
  async countRotation(manager: EntityManager, { appId, tokenVersion }: AppEntity): Promise<number> {
    await manager.update(AppEntity, { appId }, { tokenVersion: tokenVersion + 1 });
    return tokenVersion + 1;
  }
}

function keyOf({ appId, name }: AppReference): FindOptionsWhere<AppEntity> {
  const tenant = { shards: MoreThan(0) };
  return { ...tenant, ...(appId === undefined ? {} : { appId }), ...(name === undefined ? {} : { name }) };
}
