/** One use of a table of owned things in a statement that reads. */
export interface AccessUse {
  readonly table: string;
  /** Whether the statement compares the readers of its rows with the principals of the caller. */
  readonly bound: boolean;
}

export const OWNED_TABLES: Set<string>;

export function accessUses(text: string): Promise<AccessUse[]>;

export function kindOf(text: string, uses: readonly { readonly table: string }[]): string;
