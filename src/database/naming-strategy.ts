import { DefaultNamingStrategy, type Table } from 'typeorm';

/** Columns in snake case, and the names that PostgreSQL itself gives to keys, which the migrations leave to it. */
export class PostgresNaming extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string | undefined): string {
    return customName ?? propertyName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }

  override primaryKeyName(table: Table | string): string {
    return `${this.getTableName(table)}_pkey`;
  }

  override uniqueConstraintName(table: Table | string, columnNames: string[]): string {
    return [this.getTableName(table), ...columnNames, 'key'].join('_');
  }

  override foreignKeyName(table: Table | string, columnNames: string[]): string {
    return [this.getTableName(table), ...columnNames, 'fkey'].join('_');
  }
}
