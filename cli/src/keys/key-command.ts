import { DEFAULT_TENANT, isPermission, PERMISSIONS, type Permission } from '../../../src/auth/scope.js';
import { parseCommandLine } from '../command-line.js';
import { UsageError } from '../report-failure.js';

export const USAGE = `Usage:
  lectern keys create --name <name> --scopes ${PERMISSIONS.join(',')} [--app <tenant>] [--expires <n>d|h|m]
  lectern keys list [--app <tenant>]
  lectern keys revoke <id> [--app <tenant>]
  --help     this
  --version  which Lectern this is
Without --app the tenant is "${DEFAULT_TENANT}"; without --expires a key lives for ten years.
It opens the database of DATA_DIR or DATABASE_URL itself: with the embedded one the service must not be running. Over
HTTP it may: POST /keys.`;

export type KeyCommand =
  | {
      readonly action: 'create';
      readonly appId: string;
      readonly name: string;
      readonly permissions: readonly Permission[];
      readonly lifetimeSeconds: number | undefined;
    }
  | { readonly action: 'list'; readonly appId: string }
  | { readonly action: 'revoke'; readonly appId: string; readonly id: string };

const OPTIONS = {
  name: { type: 'string' },
  scopes: { type: 'string' },
  app: { type: 'string' },
  expires: { type: 'string' },
} as const;

/**
 * Reads the arguments behind `lectern keys`.
 * @throws UsageError
 */
export function parseKeyCommand(args: readonly string[]): KeyCommand {
  const { values, positionals } = parseCommandLine({
    args: [...args],
    options: OPTIONS,
    allowPositionals: true,
  });
  const [action, ...rest] = positionals;
  const [id, extra] = action === 'revoke' ? rest : [undefined, ...rest];
  const appId = values.app ?? DEFAULT_TENANT;
  if (action === undefined) throw new UsageError('keys needs create, list or revoke');
  if (action !== 'create' && action !== 'list' && action !== 'revoke') {
    throw new UsageError(`unknown command "${action}": keys takes create, list or revoke`);
  }
  if (extra !== undefined) throw new UsageError(`unexpected argument "${extra}"`);
  if (action === 'list') return { action, appId };
  if (action === 'revoke') {
    if (id === undefined) throw new UsageError('revoke needs the id of a key, which list shows');
    return { action, appId, id };
  }
  if (values.name === undefined || values.name === '') throw new UsageError('create needs --name');
  return {
    action,
    appId,
    name: values.name,
    permissions: permissionsOf(values.scopes),
    lifetimeSeconds: values.expires === undefined ? undefined : secondsOf(values.expires),
  };
}

function permissionsOf(text: string | undefined): Permission[] {
  const names = (text ?? '').split(',').map((name) => name.trim());
  if (!names.every(isPermission)) throw new UsageError(`--scopes takes a list of ${PERMISSIONS.join(', ')}`);
  return names;
}

const SECONDS = { d: 86_400, h: 3_600, m: 60 } as const;

function secondsOf(text: string): number {
  const match = /^([1-9]\d{0,5})([dhm])$/.exec(text);
  const [, count, unit] = match ?? [];
  if (count === undefined || unit === undefined) {
    throw new UsageError('--expires takes a number and d, h or m, such as 30d');
  }
  return Number(count) * SECONDS[unit as keyof typeof SECONDS];
}
