import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/**
 * Adds accounts at an identity provider, browser sessions and links to further devices. Like the keys that they belong
 * to, the tables are not distributed over the nodes of a cluster: they are read before the tenant is authenticated.
 */
export class PeopleWhoSignIn1700000048600 implements DescribedMigration {
  readonly about = 'adds people who sign in at an identity provider, and sessions of browsers';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `create table provider_accounts (
         app_id text not null,
         subject text collate "C" not null,
         key_id uuid not null,
         groups text[] not null,
         primary key (app_id, subject),
         foreign key (app_id, key_id) references api_keys (app_id, jti) on delete cascade
       )`,
    );
    await queryRunner.query(
      `create unique index provider_accounts_key on provider_accounts (app_id, key_id)`,
    );
    await queryRunner.query(
      `create table browser_sessions (
         app_id text not null,
         session_id uuid not null,
         key_id uuid not null,
         secret_hash bytea not null,
         device text not null,
         created_at timestamptz not null default now(),
         expires_at timestamptz not null,
         checked_at timestamptz,
         renewal text,
         primary key (app_id, session_id),
         foreign key (app_id, key_id) references api_keys (app_id, jti) on delete cascade
       )`,
    );
    await queryRunner.query(`create index browser_sessions_key on browser_sessions (app_id, key_id)`);
    await queryRunner.query(
      `create table device_links (
         app_id text not null,
         key_id uuid not null,
         secret_hash bytea not null,
         expires_at timestamptz not null,
         primary key (app_id, key_id),
         foreign key (app_id, key_id) references api_keys (app_id, jti) on delete cascade
       )`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table device_links');
    await queryRunner.query('drop table browser_sessions');
    await queryRunner.query('drop table provider_accounts');
  }
}
