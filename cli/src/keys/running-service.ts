import { LecternError } from '@lectern/client';
import { DEFAULT_TENANT, StartRefused, type Settings } from '../../../src/index.js';
import { runningAt } from '../doctor/running-service.js';
import { addressOf, clientOf } from '../service.js';
import type { KeyCommand } from './key-command.js';
import { printCreated, printKeys, printRevoked } from './printed-keys.js';

/**
 * Executes the command through the API of the running service. Uses the admin key that the service created.
 *
 * @returns false if no service answers at the address of these settings
 */
export async function inRunningService(command: KeyCommand, settings: Settings): Promise<boolean> {
  if ((await runningAt(settings)) === null) return false;
  try {
    await send(command);
    return true;
  } catch (error) {
    if (!(error instanceof LecternError) || error.status !== 401) throw error;
    throw new StartRefused(
      `The running service rejects the admin key (${error.message}). Stop the service and run this command again: it then works on the database of DATA_DIR without a key`,
      { cause: error },
    );
  }
}

/** The error for a tenant that does not exist. */
export function unknownTenant(appId: string): StartRefused {
  return new StartRefused(
    `There is no tenant "${appId}": "POST /cloud/generate_uri" creates a tenant, and "GET /apps" lists them`,
  );
}

async function send(command: KeyCommand): Promise<void> {
  const { keys } = clientOf(await addressOf({ url: undefined, key: undefined, keyOrigin: undefined }));
  const app = { app_id: command.appId };
  switch (command.action) {
    case 'create': {
      const { name, permissions, endUserId, networks, lifetimeSeconds } = command;
      // A tenant has at least the key that it was created with.
      if (command.appId !== DEFAULT_TENANT && (await keys.list(app)).length === 0) {
        throw unknownTenant(command.appId);
      }
      const made = await keys.create({
        ...app,
        name,
        scopes: [...permissions],
        ...(endUserId === null ? {} : { end_user_id: endUserId }),
        ...(networks === null ? {} : { networks: [...networks] }),
        ...(lifetimeSeconds === undefined ? {} : { expires_in: lifetimeSeconds }),
      });
      printCreated({ id: made.id, appId: made.app_id, token: made.key });
      break;
    }
    case 'list': {
      const found = await keys.list(app);
      printKeys(
        command.appId,
        found.map(({ id, name, scopes, end_user_id, expires_at, revoked_at }) => ({
          id,
          name,
          permissions: scopes,
          endUserId: end_user_id,
          expires: expires_at,
          isRevoked: revoked_at !== null,
        })),
      );
      break;
    }
    case 'revoke':
      await keys.revoke(command.id, app);
      printRevoked(command.id);
  }
}
