import { parse } from 'libpg-query';

/**
 * Tables and views with rows of tenants: those with a column `app_id`. A spec compares the list with the migrated database.
 * It repeats the names in src/database/tenant-tables.ts, because the script that imports it runs without a build.
 */
export const TENANT_TABLES = new Set([
  'answer_feedback',
  'api_keys',
  'audit_log',
  'audit_seals',
  'browser_sessions',
  'chat_links',
  'chunks',
  'conversations',
  'corpus_stats',
  'deleted_items',
  'detached_files',
  'device_links',
  'document_events',
  'document_summaries',
  'document_texts',
  'documents',
  'file_attachments',
  'file_batch_entries',
  'file_batches',
  'files',
  'folder_summaries',
  'folders',
  'group_members',
  'groups',
  'idempotency_keys',
  'ingestion_jobs',
  'ingestion_turns',
  'metadata_order',
  'object_removals',
  'operation_log',
  'pages',
  'provider_accounts',
  'quota_counts',
  'rate_limits',
  'replaced_rows',
  'term_stats',
  'turns',
  'vector_stores',
  'webhook_deliveries',
  'webhooks',
]);

const COLUMN = 'app_id';

/**
 * One use of a tenant's table in a statement.
 * @typedef {object} Use
 * @property {string} table
 * @property {boolean} bound whether its tenant column equals a parameter or a constant in every row that the use reads
 * @property {number[]} parameters numbers of the parameters that it equals
 */

/**
 * Finds every use of a tenant's table in a statement and what its tenant column is bound to.
 *
 * The tenant columns of a statement are the nodes of a directed graph; an edge from a to b means that every row of b has
 * the tenant of a. Equalities in a conjunction of WHERE and of an inner join are edges in both directions, those of an
 * outer join only towards its optional side, those of an alternative only when each branch has one. Equalities in a
 * subquery that limits no row of the outer query (NOT EXISTS, a select list) are edges into the subquery only. A use is
 * bound when a parameter or a constant reaches it.
 * @param {string} text
 * @returns {Promise<Use[]>}
 * @throws when PostgreSQL's parser refuses the statement.
 */
export async function tenantUses(text) {
  const { stmts } = await parse(text);
  return stmts.flatMap(({ stmt }) => new Statement().usesOf(stmt));
}

/** The tenant column of a relation, a parameter or a constant. */
class Column {
  /**
   * @param sources columns whose tenant this column has
   * @param parts of a union or an alternative: it has a tenant when each of them has one
   */
  constructor({ table, parameter, isFixed = false, sources = [], parts, depth = 0 } = {}) {
    Object.assign(this, { table, parameter, isFixed, sources, parts, depth });
  }
}

/** Relations and common table expressions that a query names. */
class Names {
  relations = new Map();
  ctes = new Map();

  constructor(outer, depth = outer === undefined ? 0 : outer.depth + 1) {
    this.outer = outer;
    this.depth = depth;
  }

  cte(name) {
    return this.ctes.get(name) ?? this.outer?.cte(name);
  }

  /** Tenant column of `alias.app_id`; of `app_id`: of the nearest relation with such a column. */
  columnOf(alias) {
    const found =
      alias === undefined ? [...this.relations.values()].find(Boolean) : this.relations.get(alias);
    if (found !== undefined || this.relations.has(alias)) return found;
    return this.outer?.columnOf(alias);
  }
}

class Statement {
  tables = [];

  usesOf(statement) {
    this.query(statement, new Names(), 0);
    return this.tables.map((column) => ({
      table: column.table,
      bound: isBound(column, new Set()),
      parameters: [...parametersOf(column)].sort((a, b) => a - b),
    }));
  }

  /**
   * @param floor depth from which on relations may be bound by the conditions of this query
   * @returns its output: tenant column under its name and position, undefined: none
   */
  query(node, outer, floor) {
    const [kind, body] = Object.entries(node)[0] ?? [];
    switch (kind) {
      case 'SelectStmt':
        return this.select(body, outer, floor);
      case 'UpdateStmt':
      case 'DeleteStmt':
        return this.change(body, outer, floor);
      case 'InsertStmt':
        return this.insert(body, outer, floor);
      case 'ExplainStmt':
      case 'DeclareCursorStmt':
      case 'CreateTableAsStmt':
        return this.query(body.query, outer, floor);
      default:
        return NOTHING;
    }
  }

  select(body, outer, floor) {
    const names = new Names(outer);
    this.ctes(body.withClause, names);
    if (body.op !== undefined && body.op !== 'SETOP_NONE') {
      const branches = [body.larg, body.rarg].map((branch) => this.select(branch, names, floor));
      const both = (columns) =>
        columns.every(Boolean) ? new Column({ parts: columns, depth: names.depth }) : undefined;
      return {
        column: both(branches.map(({ column }) => column)),
        at: (position) => both(branches.map(({ at }) => at(position))),
      };
    }
    if (body.valuesLists !== undefined) return this.values(body.valuesLists, names);
    for (const item of body.fromClause ?? []) this.from(item, names, floor);
    this.condition(body.whereClause, names, floor);
    this.others(
      [body.targetList, body.havingClause, body.sortClause, body.groupClause, body.limitCount],
      names,
    );
    return this.output(body.targetList ?? [], names);
  }

  values(lists, names) {
    const rows = lists.map(({ List }) => List.items.map((item) => this.value(item, names)));
    return {
      at: (position) =>
        new Column({ parts: rows.map((row) => row[position] ?? new Column()), depth: names.depth }),
    };
  }

  change(body, outer, floor) {
    const names = new Names(outer);
    this.ctes(body.withClause, names);
    this.from({ RangeVar: body.relation }, names, floor);
    for (const item of body.fromClause ?? body.usingClause ?? []) this.from(item, names, floor);
    this.condition(body.whereClause, names, floor);
    this.others([body.targetList], names);
    return this.output(body.returningClause?.exprs ?? [], names);
  }

  insert(body, outer) {
    const names = new Names(outer);
    this.ctes(body.withClause, names);
    const target = this.relation(body.relation, names);
    const rows =
      body.selectStmt === undefined ? NOTHING : this.query(body.selectStmt, names, names.depth + 1);
    const position = (body.cols ?? []).findIndex(({ ResTarget }) => ResTarget.name === COLUMN);
    if (target !== undefined && position !== -1) {
      const given = rows.at(position);
      if (given !== undefined) target.sources.push(given);
    }
    names.relations.set('excluded', target);
    this.others([body.onConflictClause?.targetList, body.onConflictClause?.whereClause], names);
    return this.output(body.returningClause?.exprs ?? [], names);
  }

  ctes(clause, names) {
    for (const { CommonTableExpr: cte } of clause?.ctes ?? []) {
      // A recursive term reads rows that the other term has found or it has found itself.
      const own = new Column({ depth: names.depth });
      if (clause.recursive === true) names.ctes.set(cte.ctename, { column: own });
      const output = this.query(cte.ctequery, names, names.depth + 1);
      if (output.column?.parts !== undefined) own.sources.push(output.column.parts[0]);
      const position = (cte.aliascolnames ?? []).findIndex(({ String }) => String.sval === COLUMN);
      names.ctes.set(cte.ctename, {
        column: position === -1 ? output.column : output.at(position),
      });
    }
  }

  /** @returns aliases of the relations that the item adds */
  from(item, names, floor) {
    const [kind, body] = Object.entries(item)[0];
    switch (kind) {
      case 'RangeVar':
        this.relation(body, names);
        return [body.alias?.aliasname ?? body.relname];
      case 'JoinExpr':
        return this.join(body, names, floor);
      case 'RangeSubselect': {
        const output = this.query(body.subquery, names, names.depth + 1);
        return this.derived(body.alias, output, names);
      }
      case 'RangeFunction':
        return this.derived(body.alias, this.rowsOf(body, names), names);
      default:
        return [];
    }
  }

  relation({ relname, alias }, names) {
    const cte = names.cte(relname);
    let column;
    if (cte !== undefined) {
      // Every use reads all rows of the expression; a condition on one binds no other.
      column = cte.column === undefined ? undefined : new Column({ depth: names.depth });
      column?.sources.push(cte.column);
    } else if (TENANT_TABLES.has(relname)) {
      column = new Column({ table: relname, depth: names.depth });
      this.tables.push(column);
    } else if (relname === 'apps') {
      column = new Column({ depth: names.depth });
    }
    names.relations.set(alias?.aliasname ?? relname, column);
    return column;
  }

  derived(alias, output, names) {
    const position = (alias?.colnames ?? []).findIndex(({ String }) => String.sval === COLUMN);
    const source = position === -1 ? output.column : output.at(position);
    const column = source === undefined ? undefined : new Column({ depth: names.depth });
    column?.sources.push(source);
    names.relations.set(alias?.aliasname, column);
    return [alias?.aliasname];
  }

  /** Rows of a function of the caller's values have the caller's tenants. */
  rowsOf({ functions, coldeflist }, names) {
    this.others(functions, names);
    const given = JSON.stringify(functions);
    const isGiven = given.includes('"ParamRef"') && !given.includes('"ColumnRef"');
    const column = isGiven ? new Column({ isFixed: true }) : undefined;
    const declared = (coldeflist ?? []).some(({ ColumnDef }) => ColumnDef.colname === COLUMN);
    return { column: declared ? column : undefined, at: () => column };
  }

  join(body, names, floor) {
    const left = this.from(body.larg, names, floor);
    const right = this.from(body.rarg, names, floor);
    const optional = { JOIN_LEFT: right, JOIN_RIGHT: left, JOIN_FULL: [] }[body.jointype];
    if ((body.usingClause ?? []).some(({ String }) => String.sval === COLUMN)) {
      const [a] = left.map((alias) => names.relations.get(alias)).filter(Boolean);
      const [b] = right.map((alias) => names.relations.get(alias)).filter(Boolean);
      this.equal(a, b, floor, optional, names);
    }
    this.condition(body.quals, names, floor, optional);
    return [...left, ...right];
  }

  /** @param optional aliases of the optional side of an outer join, which alone its condition limits */
  condition(node, names, floor, optional) {
    if (node === undefined) return;
    const [kind, body] = Object.entries(node)[0];
    if (kind === 'A_Const' && body.boolval !== undefined && body.boolval.boolval !== true) {
      const noRow = new Column({ isFixed: true });
      for (const column of names.relations.values()) if (column !== undefined) this.add(column, noRow);
      return;
    }
    if (kind === 'BoolExpr' && body.boolop === 'AND_EXPR') {
      for (const part of body.args) this.condition(part, names, floor, optional);
      return;
    }
    if (kind === 'BoolExpr' && body.boolop === 'OR_EXPR') {
      const branches = body.args.map((part) =>
        this.branch(names.depth, () => this.condition(part, names, floor, optional)),
      );
      for (const column of branches[0].keys()) {
        if (!branches.every((limits) => limits.has(column))) continue;
        const parts = branches.map((limits) => new Column({ sources: limits.get(column) }));
        this.add(column, new Column({ parts, depth: names.depth }));
      }
      return;
    }
    if (kind === 'SubLink' && body.subLinkType === 'EXISTS_SUBLINK') {
      this.query(body.subselect, names, optional === undefined ? floor : names.depth + 1);
      return;
    }
    if (kind === 'SubLink' && body.subLinkType === 'ANY_SUBLINK') {
      const output = this.query(body.subselect, names, names.depth + 1);
      const tested = body.testexpr?.RowExpr?.args ?? [body.testexpr];
      for (const [position, item] of tested.entries()) {
        if (isTenantColumn(item))
          this.limit(this.value(item, names), output.at(position), floor, optional, names);
      }
      this.others([body.testexpr], names);
      return;
    }
    if (kind === 'A_Expr' && body.kind === 'AEXPR_OP' && body.name.at(-1).String.sval === '=') {
      const left = body.lexpr?.RowExpr?.args ?? [body.lexpr];
      const right = body.rexpr?.RowExpr?.args ?? [body.rexpr];
      for (const [position, item] of left.entries()) {
        const other = right[position];
        if (other === undefined || !(isTenantColumn(item) || isTenantColumn(other))) continue;
        this.equal(this.value(item, names), this.value(other, names), floor, optional, names);
      }
    }
    if (kind === 'A_Expr' && isOneOf(body) && isTenantColumn(body.lexpr)) {
      const given = body.rexpr.List?.items ?? [body.rexpr];
      // Several tenants on purpose: their parameters are not compared.
      const isFixed = given.every((item) => this.value(item, names).isFixed);
      if (isFixed) this.limit(this.value(body.lexpr, names), new Column({ isFixed }), floor, optional, names);
    }
    this.others([node], names);
  }

  equal(a, b, floor, optional, names) {
    if (a === undefined || b === undefined) return;
    this.limit(a, b, floor, optional, names);
    this.limit(b, a, floor, optional, names);
  }

  limit(column, source, floor, optional, names) {
    if (column === undefined || source === undefined || column.depth < floor) return;
    if (optional !== undefined && !optional.some((alias) => names.relations.get(alias) === column)) return;
    this.add(column, source);
  }

  /** Columns and their sources that a branch of an alternative adds at `depth` and above. */
  branch(depth, read) {
    const outer = this.alternative;
    this.alternative = { depth, limits: new Map() };
    read();
    const { limits } = this.alternative;
    this.alternative = outer;
    return limits;
  }

  add(column, source) {
    if (this.alternative === undefined || column.depth > this.alternative.depth) {
      column.sources.push(source);
    } else {
      const { limits } = this.alternative;
      limits.set(column, [...(limits.get(column) ?? []), source]);
    }
  }

  /** Returns the tenant column of an expression; a new one if it is none. */
  value(node, names) {
    const [kind, body] = Object.entries(node ?? {})[0] ?? [];
    switch (kind) {
      case 'ParamRef':
        return new Column({ parameter: body.number, isFixed: true });
      case 'A_Const':
        return new Column({ isFixed: body.isnull !== true });
      case 'TypeCast':
        return this.value(body.arg, names);
      case 'ColumnRef': {
        const fields = body.fields.map((field) => field.String?.sval);
        if (fields.at(-1) !== COLUMN) return new Column();
        return names.columnOf(fields.at(-2)) ?? new Column();
      }
      case 'SubLink': {
        const output = this.query(body.subselect, names, names.depth + 1);
        return output.at(0) ?? new Column();
      }
      case 'CoalesceExpr':
        return new Column({ parts: body.args.map((arg) => this.value(arg, names)), depth: names.depth });
      default:
        return new Column();
    }
  }

  /** Subqueries anywhere in expressions: their conditions limit nothing outside them. */
  others(nodes, names) {
    const waiting = [nodes];
    while (waiting.length > 0) {
      const node = waiting.pop();
      if (node === undefined || node === null || typeof node !== 'object') continue;
      if (node.SubLink !== undefined) {
        this.query(node.SubLink.subselect, names, names.depth + 1);
        waiting.push(node.SubLink.testexpr);
      } else waiting.push(...Object.values(node));
    }
  }

  output(targets, names) {
    const columns = targets.map(({ ResTarget: { val } }) => val);
    const at = (position) => {
      const starred = columns.slice(0, position + 1).findIndex(isStar);
      return starred === -1 && columns[position] !== undefined
        ? this.value(columns[position], names)
        : undefined;
    };
    const named = targets.find(
      ({ ResTarget: { name, val } }) => (name ?? val.ColumnRef?.fields.at(-1).String?.sval) === COLUMN,
    );
    if (named !== undefined) return { column: this.value(named.ResTarget.val, names), at };
    for (const { ResTarget } of targets) {
      if (!isStar(ResTarget.val)) continue;
      const { fields } = ResTarget.val.ColumnRef;
      const column = names.columnOf(fields.at(-2)?.String.sval);
      if (column !== undefined) return { column, at };
    }
    return { column: undefined, at };
  }
}

const NOTHING = { column: undefined, at: () => undefined };

/** `= any(...)` or `in (...)` */
function isOneOf({ kind, name }) {
  return (kind === 'AEXPR_OP_ANY' || kind === 'AEXPR_IN') && name.at(-1).String.sval === '=';
}

function isStar(node) {
  return node?.ColumnRef?.fields.at(-1).A_Star !== undefined;
}

function isTenantColumn(node) {
  return node?.ColumnRef?.fields.at(-1).String?.sval === COLUMN;
}

function isBound(column, seen) {
  if (column.isFixed) return true;
  if (seen.has(column)) return false;
  seen.add(column);
  if (column.parts !== undefined) return column.parts.every((part) => isBound(part, new Set(seen)));
  return column.sources.some((source) => isBound(source, seen));
}

function parametersOf(column, seen = new Set(), found = new Set()) {
  if (seen.has(column)) return found;
  seen.add(column);
  if (column.parameter !== undefined) found.add(column.parameter);
  for (const source of [...column.sources, ...(column.parts ?? [])]) parametersOf(source, seen, found);
  return found;
}
