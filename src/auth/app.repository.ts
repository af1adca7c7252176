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
import { shardIds } from './tenant-shards.js';

/** How a tenant is named: by its id, its name, or both, which have to agree. */
export interface AppReference {
  readonly appId?: string | undefined;
  readonly name?: string | undefined;
}

/** Tenants. Those that are being removed are seen by those who remove them alone. */
@Injectable()
export class AppRepository {
  constructor(@InjectRepository(AppEntity) private readonly apps: Repository<AppEntity>) {}

  /**
   * Makes a tenant, in so many parts.
   * @returns whether it was made: not when a tenant has that id or name already. Then the transaction is to be given up.
   */
  async insert(appId: string, name: string, manager: EntityManager, parts = 1): Promise<boolean> {
    const [, ...others] = shardIds({ appId, parts });
    const inserted = await manager
      .createQueryBuilder()
      .insert()
      .into(AppEntity)
      .values([{ appId, name, parts }, ...others.map((id) => ({ appId: id, name: id, parts: 0 }))])
      .orIgnore()
      .updateEntity(false)
      .returning('app_id')
      .execute();
    return (inserted.raw as unknown[]).length === parts;
  }

  async findByName(name: string, manager: EntityManager): Promise<AppEntity | null> {
    return manager.findOneBy(AppEntity, { name });
  }

  /**
   * The tenant, locked until the transaction of `manager` ends: changes of one tenant wait for each other, and new keys
   * for them.
   */
  async lock(manager: EntityManager, reference: AppReference): Promise<AppEntity | null> {
    return manager.findOne(AppEntity, {
      where: { ...keyOf(reference), removingSince: IsNull() },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** As {@link lock}, whether it is being removed already or not. */
  async lockToRemove(manager: EntityManager, reference: AppReference): Promise<AppEntity | null> {
    const lock = { mode: 'pessimistic_write' } as const;
    const app = await manager.findOne(AppEntity, { where: keyOf(reference), lock });
    const [, ...others] = app === null ? [] : shardIds(app);
    if (others.length > 0) await manager.find(AppEntity, { where: { appId: In(others) }, lock });
    return app;
  }

  /** What stands in `app_id` of the rows of a tenant, its own id first. */
  async shardIds(appId: string): Promise<string[]> {
    const app = await this.apps.findOneBy({ appId });
    return shardIds({ appId, parts: app?.parts ?? 1 });
  }

  /** Ids of those that are being removed. */
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

  /** Counts a rotation. @returns how many there were with it. */
  async countRotation(manager: EntityManager, { appId, tokenVersion }: AppEntity): Promise<number> {
    await manager.update(AppEntity, { appId }, { tokenVersion: tokenVersion + 1 });
    return tokenVersion + 1;
  }
}

function keyOf({ appId, name }: AppReference): FindOptionsWhere<AppEntity> {
  const tenant = { parts: MoreThan(0) };
  return { ...tenant, ...(appId === undefined ? {} : { appId }), ...(name === undefined ? {} : { name }) };
}
