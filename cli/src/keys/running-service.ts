import type { Settings } from '../../../src/index.js';
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
  const { keys } = clientOf(await addressOf({ url: undefined, key: undefined, keyOrigin: undefined }));
  const app = { app_id: command.appId };
  switch (command.action) {
    case 'create': {
      const { name, permissions, endUserId, networks, lifetimeSeconds } = command;
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
  return true;
}
