/** One use of a tenant's table in a statement. */
export interface TenantUse {
  readonly table: string;
  /** Whether its tenant column equals a parameter or a constant in every row that the use reads or writes. */
  readonly bound: boolean;
  /** Numbers of the parameters that it equals. */
  readonly parameters: readonly number[];
}

export const TENANT_TABLES: Set<string>;

export function tenantUses(text: string): Promise<TenantUse[]>;
