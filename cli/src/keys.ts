import { existsSync } from 'node:fs';
import { Logger } from '@nestjs/common';
import {
  DEFAULT_TENANT,
  FolderInUse,
  isNetwork,
  isPermission,
  PERMISSIONS,
  readSettings,
  StartRefused,
  type Permission,
} from '../../src/index.js';
import type { KeyFile, KeyService } from '../../src/parts.js';
import { parseCommandLine, UsageError } from './command.js';
import type { KeyCommand } from './keys/key-command.js';
import { printCreated, printKeys, printRevoked } from './keys/printed-keys.js';
import { portRemedy } from './doctor/running-service.js';
import { inRunningService, unknownTenant } from './keys/running-service.js';
import { requireDatabase } from './require-database.js';

export const USAGE = `Usage:
  lectern keys create --name <name> --scopes ${PERMISSIONS.join(',')} [--app <tenant>] [--expires <n>d|h|m]
                      [--end-user <id>] [--network <address or CIDR> ...]
  lectern keys list [--app <tenant>]
  lectern keys revoke <id> [--app <tenant>]
  --help     prints this help
  --version  prints the version
The default tenant is "${DEFAULT_TENANT}"; by default a key expires after ten years.
With --end-user the key belongs to this person: it can access their chats and documents, and documents without an end
user.
With --network, which can be repeated, the key works from these addresses only.
The command opens the database of DATA_DIR or DATABASE_URL directly. If a service uses the embedded database, it calls the
service at HOST and PORT with the admin key. A new admin key of the default tenant replaces the key in DATA_DIR/api-key if
that key is missing or no longer works.`;

const OPTIONS = {
  name: { type: 'string' },
  scopes: { type: 'string' },
  app: { type: 'string' },
  expires: { type: 'string' },
  'end-user': { type: 'string' },
  network: { type: 'string', multiple: true },
} as const;

/**
 * `lectern keys`: creates, lists and revokes API keys, in the database or, if a service has the database open, through
 * the service.
 */
export async function run(args: readonly string[]): Promise<void> {
  const command = parseKeyCommand(args);
  const settings = readSettings(process.env);
  await requireDatabase(settings);
  Logger.overrideLogger(['error']); // stdout is reserved for the key
  const {
    ApiKeyEntity,
    AppEntity,
    AuditEntryEntity,
    AuditLog,
    inDataFolder,
    KeyFile,
    KeyRepository,
    KeyService,
    openMigrated,
    requireRecordedSecret,
    SigningSecret,
  } = await import('../../src/parts.js');
  let database;
  try {
    database = await inDataFolder(settings, () =>
      openMigrated(settings, [ApiKeyEntity, AppEntity, AuditEntryEntity]),
    );
  } catch (error) {
    // A running service locks its embedded database; in this case the service executes the command.
    if (!(error instanceof FolderInUse)) throw error;
    if (await inRunningService(command, settings)) return;
    throw new StartRefused(`${error.message}. If it is the service, ${portRemedy(settings)}`, {
      cause: error,
    });
  }
  try {
    const secret = await SigningSecret.load(settings);
    const keys = new KeyRepository(database.getRepository(ApiKeyEntity));
    if (command.action === 'create') {
      if (!(await keys.hasTenant(command.appId))) throw unknownTenant(command.appId);
      await requireRecordedSecret(database, secret);
    }
    const file = new KeyFile(settings);
    const isFileDead =
      settings.ADMIN_KEY === undefined &&
      (!existsSync(file.path) || (await file.rejection(keys, secret)) !== null);
    const id = await execute(command, new KeyService(keys, secret), isFileDead ? file : null);
    if (id === null || command.action === 'list') return;
    const audit = new AuditLog(database.getRepository(AuditEntryEntity));
    await audit.recordCommand(command.appId, `key.${command.action}`, subjectOf(command, id));
  } finally {
    await database.destroy();
  }
}

/** What the audit log says of a key, as it does of a key that a request makes. */
function subjectOf(command: KeyCommand, id: string): string {
  if (command.action !== 'create') return id;
  const { name, permissions, endUserId } = command;
  return `${id} ${name} scopes=${permissions.join(',')} person=${endUserId ?? 'none'}`;
}

/** Whether a key could replace the first admin key. */
function isOperatorKey({
  appId,
  permissions,
  endUserId,
  networks,
}: KeyCommand & { action: 'create' }): boolean {
  return appId === DEFAULT_TENANT && permissions.includes('admin') && endUserId === null && networks === null;
}

/**
 * @param file receives the new key of an operator; null: the key in the file works
 * @returns the id of the created or revoked key; null: nothing changed
 */
async function execute(command: KeyCommand, keys: KeyService, file: KeyFile | null): Promise<string | null> {
  switch (command.action) {
    case 'create': {
      const { stored, token } = await keys.issue(command);
      printCreated({ id: stored.id, appId: stored.appId, token });
      if (file !== null && isOperatorKey(command)) {
        await file.write(token);
        console.error(`The commands on this machine use it: it replaces the key in ${file.path}`);
      }
      return stored.id;
    }
    case 'list': {
      const stored = await keys.list(command);
      printKeys(
        command.appId,
        stored.map(({ expiresAt, revokedAt, ...key }) => ({
          ...key,
          expires: expiresAt?.toISOString() ?? null,
          isRevoked: revokedAt !== null,
        })),
      );
      return null;
    }
    case 'revoke':
      await keys.revoke(command, command.id);
      printRevoked(command.id);
      return command.id;
  }
}

/**
 * Parses the arguments of `lectern keys`.
 *
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
    throw new UsageError(`unknown command "${action}": expected create, list or revoke`);
  }
  if (extra !== undefined) throw new UsageError(`unexpected argument "${extra}"`);
  if (action === 'list') return { action, appId };
  if (action === 'revoke') {
    if (id === undefined) throw new UsageError('revoke needs the id of a key, as printed by list');
    return { action, appId, id };
  }
  if (values.name === undefined || values.name === '') throw new UsageError('create needs --name');
  if (values['end-user'] === '') throw new UsageError('--end-user takes the id of a person');
  return {
    action,
    appId,
    name: values.name,
    permissions: permissionsOf(values.scopes),
    endUserId: values['end-user'] ?? null,
    networks: networksOf(values.network),
    lifetimeSeconds: values.expires === undefined ? undefined : secondsOf(values.expires),
  };
}

function networksOf(given: readonly string[] | undefined): string[] | null {
  const wrong = given?.find((text) => !isNetwork(text));
  if (wrong !== undefined) throw new UsageError(`--network "${wrong}" is neither an IP address nor a range`);
  return given === undefined ? null : [...given];
}

function permissionsOf(text: string | undefined): Permission[] {
  const names = (text ?? '').split(',').map((name) => name.trim());
  if (!names.every(isPermission))
    throw new UsageError(`--scopes must be a list of ${PERMISSIONS.join(', ')}`);
  return names;
}

const SECONDS = { d: 86_400, h: 3_600, m: 60 } as const;

function secondsOf(text: string): number {
  const match = /^([1-9]\d{0,5})([dhm])$/.exec(text);
  const [, count, unit] = match ?? [];
  if (count === undefined || unit === undefined) {
    throw new UsageError('--expires must be a number and d, h or m, such as 30d');
  }
  return Number(count) * SECONDS[unit as keyof typeof SECONDS];
}
