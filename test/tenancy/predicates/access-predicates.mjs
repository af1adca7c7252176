import { parse } from 'libpg-query';

/** Tables whose rows have an owner and readers. */
export const OWNED_TABLES = new Set(['conversations', 'documents', 'file_batches', 'files', 'folders']);

/**
 * One use of a table of owned things in a statement.
 * @typedef {object} Use
 * @property {string} table
 * @property {boolean} bound whether a conjunction of conditions on the rows compares their readers with the caller's
 *   principals (`readers && $n`), or their owner with the caller (`owner = $n`)
 */

/**
 * Finds every use of a table of owned things in a statement that reads.
 * @param {string} text
 * @returns {Promise<Use[]>}
 * @throws when PostgreSQL's parser refuses the statement
 */
export async function accessUses(text) {
  const { stmts } = await parse(text);
  const uses = [];
  for (const { stmt } of stmts) visit(stmt, uses);
  return uses;
}

/** How many characters at its beginning tell what a statement selects. */
const BEGINNING = 30;

/**
 * Returns the kind of a statement: its beginning, and the tables of owned things that it reads.
 * @param {string} text
 * @param {Pick<Use, 'table'>[]} uses
 */
export function kindOf(text, uses) {
  const beginning = text.trim().replace(/\s+/g, ' ').slice(0, BEGINNING);
  return `${beginning} ${[...new Set(uses.map(({ table }) => table))].sort().join()}`;
}

function visit(node, uses) {
  if (node === null || typeof node !== 'object') return;
  if (Array.isArray(node)) {
    for (const item of node) visit(item, uses);
    return;
  }
  const { SelectStmt: select } = node;
  if (select !== undefined) tables(select, uses);
  for (const value of Object.values(node)) visit(value, uses);
}

/** Adds the uses in the FROM clause of one query. */
function tables(select, uses) {
  for (const branch of [select.larg, select.rarg]) if (branch !== undefined) tables(branch, uses);
  const conditions = [select.whereClause, ...(select.fromClause ?? []).flatMap(joinConditions)];
  const bound = new Set(conditions.flatMap(comparedReaders));
  for (const { relname, alias } of (select.fromClause ?? []).flatMap(relations)) {
    if (OWNED_TABLES.has(relname)) {
      uses.push({ table: relname, bound: bound.has(alias?.aliasname ?? relname) });
    }
  }
}

function relations({ RangeVar: table, JoinExpr: join }) {
  if (table !== undefined) return [table];
  return join === undefined ? [] : [join.larg, join.rarg].flatMap(relations);
}

/** Conditions of inner joins. Those of outer joins do not limit the rows. */
function joinConditions({ JoinExpr: join }) {
  if (join === undefined) return [];
  const own = join.jointype === 'JOIN_INNER' ? [join.quals] : [];
  return [...own, ...[join.larg, join.rarg].flatMap(joinConditions)];
}

const COMPARED = { '&&': 'readers', '=': 'owner' };

/** Aliases whose readers or owner a conjunction compares with a parameter. */
function comparedReaders(node) {
  if (node === undefined) return [];
  const { BoolExpr: bool, A_Expr: expression } = node;
  if (bool?.boolop === 'AND_EXPR') return bool.args.flatMap(comparedReaders);
  const column = COMPARED[expression?.name.at(-1).String?.sval];
  const value = expression?.rexpr.TypeCast?.arg ?? expression?.rexpr;
  if (column === undefined || value.ParamRef === undefined) return [];
  const fields = expression.lexpr.ColumnRef?.fields.map(({ String: name }) => name?.sval) ?? [];
  return fields.length === 2 && fields[1] === column ? [fields[0]] : [];
}
