import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/**
 * Remembers the role of people who sign in elsewhere: the permissions of the keys that they had before their first
 * sign-in there.
 */
export class ProviderRoles1700000049900 implements DescribedMigration {
  readonly about = 'gives people who sign in elsewhere the role of their invitation';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'alter table provider_accounts add column is_admin boolean not null default false',
    );
    await queryRunner.query('alter table provider_accounts add column role text[]');
    await queryRunner.query(
      `update provider_accounts o
       set is_admin = 'admin' = any(k.permissions),
         role = (select array_agg(distinct given.permission)
                 from api_keys i, unnest(i.permissions) as given(permission)
                 where i.app_id = o.app_id and i.end_user_id = k.end_user_id and i.jti <> k.jti
                   and i.created_at <= k.created_at
                   and i.revoked_at is null and (i.expires_at is null or i.expires_at > now()))
       from api_keys k where k.app_id = o.app_id and k.jti = o.key_id`,
    );
    await queryRunner.query(
      `update api_keys k set permissions = o.role from provider_accounts o
       where k.app_id = o.app_id and k.jti = o.key_id and not o.is_admin and o.role is not null`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table provider_accounts drop column role');
    await queryRunner.query('alter table provider_accounts drop column is_admin');
  }
}
