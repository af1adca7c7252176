import { Injectable } from '@nestjs/common';
import sql, { join } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { isOperator, type Scope } from '../../auth/scope.js';
import { run } from '../../database/run.js';
import { compileFilter } from '../../filters/sql/compile-filter.js';
import type { AppDto, AppListDto, AppsQuery } from './apps.dto.js';

@Injectable()
export class AppList {
  constructor(private readonly dataSource: DataSource) {}

  /** Lists tenants, newest first. An operator gets all tenants. Other administrators get only their own tenant. */
  async list(scope: Scope, query: AppsQuery): Promise<AppListDto> {
    // This service has no organisations and users, so no tenant belongs to one.
    if (query.org_id !== undefined || query.user_id !== undefined) return { apps: [], count: 0 };
    const { app_id_filter: id = null, app_name_filter: name = null, limit, offset } = query;
    const conditions = [
      sql`a.removing_since is null and a.shards > 0`,
      ...(isOperator(scope) ? [] : [sql`a.app_id = ${scope.appId}`]),
      // Selects the value as `filename`, because a compiled filter tests the column `d.filename`.
      ...(id === null
        ? []
        : [sql`exists (select from (select a.app_id as filename) d where ${compileFilter(id)})`]),
      ...(name === null
        ? []
        : [sql`exists (select from (select a.name as filename) d where ${compileFilter(name)})`]),
    ];
    const rows = await run<AppRow>(
      this.dataSource,
      sql`select a.app_id, a.name, a.created_at, a.shards from apps a where ${join(conditions, ' and ')}
          order by a.created_at desc, a.app_id limit ${limit} offset ${offset}`,
    );
    return { apps: rows.map(toAppDto), count: rows.length };
  }
}

type AppRow = Pick<AppDto, 'app_id' | 'name'> & {
  readonly shards: number;
  readonly created_at: Date;
};

function toAppDto(row: AppRow): AppDto {
  return {
    app_id: row.app_id,
    org_id: null,
    user_id: null,
    created_by_user_id: null,
    name: row.name,
    uri: null,
    created_at: row.created_at.toISOString(),
    parts: row.shards,
  };
}
