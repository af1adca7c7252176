import { Injectable } from '@nestjs/common';
import sql, { empty, type Sql } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { WORKS } from '../auth/key.repository.js';
import type { Scope } from '../auth/scope.js';
import { run, type Queryable } from '../database/run.js';
import { Conflict, NotFound } from '../errors/index.js';

export interface Group {
  readonly id: string;
  readonly name: string | null;
  /** null: of a group that the identity provider names. */
  readonly createdAt: Date | null;
  /** End users, in order. */
  readonly members: readonly string[];
}

type Tenant = Pick<Scope, 'appId'>;

/** The groups of a tenant and their members. Keys of the members act with a change within a second. */
@Injectable()
export class GroupRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the tenant's own groups, then those that only the identity provider names. */
  async list(scope: Tenant): Promise<Group[]> {
    const [own, provided] = await Promise.all([this.select(scope, empty), this.provided(scope)]);
    return [...own, ...provided];
  }

  /** @throws NotFound */
  async get(scope: Tenant, id: string, database: Queryable = this.dataSource): Promise<Group> {
    const [group] = await this.select(scope, sql` and g.group_id = ${id}`, database);
    if (group === undefined) throw groupNotFound();
    return group;
  }

  /** @throws Conflict if the group exists */
  async create(scope: Tenant, { id, name, members }: Pick<Group, 'id' | 'name' | 'members'>): Promise<Group> {
    return this.dataSource.transaction(async (manager) => {
      const made = await run(
        manager,
        sql`insert into groups (app_id, group_id, name) values (${scope.appId}, ${id}, ${name})
            on conflict do nothing returning group_id`,
      );
      if (made.length === 0) throw new Conflict('A group with this id exists');
      await this.addTo(manager, scope, id, members);
      return this.get(scope, id, manager);
    });
  }

  /** Gives a group another name. Its id, by which access lists name it, stays. @throws NotFound */
  async rename(scope: Tenant, id: string, name: string | null): Promise<Group> {
    const renamed = await run(
      this.dataSource,
      sql`update groups set name = ${name} where app_id = ${scope.appId} and group_id = ${id} returning group_id`,
    );
    if (renamed.length === 0) throw groupNotFound();
    return this.get(scope, id);
  }

  /** Deletes a group. Its entries in access lists have no effect any more. @throws NotFound */
  async delete(scope: Tenant, id: string): Promise<void> {
    const deleted = await run(
      this.dataSource,
      sql`delete from groups where app_id = ${scope.appId} and group_id = ${id} returning group_id`,
    );
    if (deleted.length === 0) throw groupNotFound();
  }

  /** Adds people to a group. Those who are members already stay. @throws NotFound */
  async add(scope: Tenant, id: string, members: readonly string[]): Promise<Group> {
    return this.dataSource.transaction(async (manager) => {
      await run(
        manager,
        sql`select group_id from groups where app_id = ${scope.appId} and group_id = ${id} for key share`,
      );
      await this.get(scope, id, manager);
      await this.addTo(manager, scope, id, members);
      return this.get(scope, id, manager);
    });
  }

  /** @throws NotFound if the group is unknown, or the person is not a member */
  async remove(scope: Tenant, id: string, member: string): Promise<void> {
    const removed = await run(
      this.dataSource,
      sql`delete from group_members
          where app_id = ${scope.appId} and group_id = ${id} and end_user_id = ${member} returning end_user_id`,
    );
    if (removed.length > 0) return;
    await this.get(scope, id);
    throw new NotFound('The person is not a member of the group');
  }

  /** Makes a person a member of exactly these groups, which must exist. */
  async setOf(
    manager: Queryable,
    { appId }: Tenant,
    member: string,
    groups: readonly string[],
  ): Promise<void> {
    await run(
      manager,
      sql`delete from group_members
          where app_id = ${appId} and end_user_id = ${member} and not group_id = any(${groups}::text[])`,
    );
    for (const group of groups) await this.addTo(manager, { appId }, group, [member]);
  }

  /** Adds people to a group that must exist. Those who are members already stay. */
  async addTo(manager: Queryable, { appId }: Tenant, id: string, members: readonly string[]): Promise<void> {
    await run(
      manager,
      sql`insert into group_members (app_id, group_id, end_user_id)
          select ${appId}, ${id}, m.end_user_id from unnest(${members}::text[]) as m(end_user_id)
          on conflict do nothing`,
    );
  }

  /** The groups that the identity provider named when people with a working key last signed in. */
  private provided({ appId }: Tenant): Promise<Group[]> {
    return run(
      this.dataSource,
      sql`select p.name as id, null as name, null as "createdAt", array_agg(distinct p.member order by p.member) as members
          from (select unnest(o.groups) as name, k.end_user_id as member
                from provider_accounts o join api_keys k on k.app_id = o.app_id and k.jti = o.key_id
                where o.app_id = ${appId} and k.app_id = ${appId} and k.end_user_id is not null and ${WORKS}) p
          where not exists (select from groups g where g.app_id = ${appId} and g.group_id = p.name)
          group by p.name order by p.name`,
    );
  }

  private select({ appId }: Tenant, condition: Sql, database: Queryable = this.dataSource): Promise<Group[]> {
    return run(
      database,
      sql`select g.group_id as id, g.name, g.created_at as "createdAt",
            array(select m.end_user_id from group_members m
                  where m.app_id = ${appId} and m.group_id = g.group_id order by 1) as members
          from groups g where g.app_id = ${appId}${condition} order by g.group_id`,
    );
  }
}

function groupNotFound(): NotFound {
  return new NotFound('Group not found');
}
