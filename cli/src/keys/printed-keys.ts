import { print, printError } from '../output.js';
/** The properties of a key to print, without its secret. */
interface PrintedKey {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly endUserId: string | null;
  /** ISO 8601. */
  readonly expires: string | null;
  readonly isRevoked: boolean;
}

/** Prints a new key: only the key itself to stdout, everything else to stderr. */
export function printCreated(made: {
  readonly id: string;
  readonly appId: string;
  readonly token: string;
}): void {
  printError(`Key ${made.id} for tenant ${made.appId}; it is shown only once:`);
  print(made.token);
}

export function printKeys(appId: string, keys: readonly PrintedKey[]): void {
  if (keys.length === 0) printError(`Tenant ${appId} has no keys.`);
  for (const { id, name, permissions, endUserId, expires, isRevoked } of keys) {
    const state = isRevoked ? 'revoked' : `expires ${expires ?? 'never'}`;
    const person = endUserId === null ? '' : `  of ${endUserId}`;
    print(`${id}  ${permissions.join(',')}  ${state}  ${name}${person}`);
  }
}

export function printRevoked(id: string): void {
  print(`Key ${id} revoked`);
}
