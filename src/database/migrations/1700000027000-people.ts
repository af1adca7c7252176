import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/**
 * A key may belong to an end user, and may have a sign-in link. A chat without an end user belongs to the key that began
 * it; chats from before belong to no key, which leaves them to the administrators.
 */
export class People1700000027000 implements DescribedMigration {
  readonly about = 'lets keys belong to end users, and chats to keys';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const column of [
      'end_user_id text collate "C"',
      'sign_in_hash bytea',
      'sign_in_expires_at timestamptz',
    ])
      await queryRunner.query(`alter table api_keys add column ${column}`);
    await queryRunner.query('alter table chats add column key_id text collate "C"');
    await queryRunner.query('drop index chats_identity');
    await queryRunner.query(
      `create unique index chats_identity on chats
         (app_id, chat_id, (end_user_id is null), (coalesce(end_user_id, '')), (coalesce(key_id, '')))`,
    );
    await queryRunner.query(
      'create index chats_owner on chats (app_id, end_user_id, key_id, updated_at, chat_key)',
    );
  }

  /** Deletes the chats of keys, which would otherwise belong to every key of the tenant. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('delete from chats where key_id is not null');
    await queryRunner.query('drop index chats_owner');
    await queryRunner.query('drop index chats_identity');
    await queryRunner.query(
      `create unique index chats_identity
         on chats (app_id, chat_id, (end_user_id is null), (coalesce(end_user_id, '')))`,
    );
    await queryRunner.query('alter table chats drop column key_id');
    for (const column of ['end_user_id', 'sign_in_hash', 'sign_in_expires_at'])
      await queryRunner.query(`alter table api_keys drop column ${column}`);
  }
}
