import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Raw, type EntityManager, type Repository } from 'typeorm';
import { ApiKeyEntity } from './api-key.entity.js';
import { AppEntity } from './app.entity.js';

/** API keys and their tenants. */
@Injectable()
export class KeyRepository {
  constructor(@InjectRepository(ApiKeyEntity) private readonly keys: Repository<ApiKeyEntity>) {}

  /** Whether a key is neither revoked nor expired, by the clock of the database. */
  async isLive(appId: string, id: string): Promise<boolean> {
    const key = { appId, id, revokedAt: IsNull() };
    return this.keys.existsBy([
      { ...key, expiresAt: IsNull() },
      { ...key, expiresAt: Raw((column) => `${column} > now()`) },
    ]);
  }

  async list(appId: string): Promise<ApiKeyEntity[]> {
    return this.keys.find({ where: { appId }, order: { createdAt: 'DESC', id: 'ASC' } });
  }

  /** @returns whether there was such a key; revoking one again changes nothing. */
  async revoke(appId: string, id: string): Promise<boolean> {
    const revokedAt = () => 'coalesce(revoked_at, now())';
    const { affected } = await this.keys.update({ appId, id }, { revokedAt });
    return affected === 1;
  }

  /** Stores a key, and its tenant when that is new. */
  async insert(
    key: Pick<ApiKeyEntity, 'appId' | 'id' | 'name' | 'permissions' | 'expiresAt'>,
    manager: EntityManager = this.keys.manager,
  ): Promise<ApiKeyEntity> {
    await this.addTenant(key.appId, manager);
    const stored = manager.create(ApiKeyEntity, { ...key, revokedAt: null });
    await manager.insert(ApiKeyEntity, stored);
    return stored;
  }

  async addTenant(appId: string, manager: EntityManager = this.keys.manager): Promise<void> {
    await manager
      .createQueryBuilder()
      .insert()
      .into(AppEntity)
      .values({ appId, name: appId })
      .orIgnore()
      .updateEntity(false)
      .execute();
  }

  async hasAny(manager: EntityManager): Promise<boolean> {
    return manager.exists(ApiKeyEntity);
  }
}
