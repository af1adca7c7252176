import { ApiKeyEntity } from '../../src/auth/api-key.entity.js';
import { AppEntity } from '../../src/auth/app.entity.js';
import { KeyRepository } from '../../src/auth/key.repository.js';
import { KeyService } from '../../src/auth/key.service.js';
import { SigningSecret } from '../../src/auth/signing-secret.js';
import { inDataFolder } from '../../src/config/data-folder.js';
import { readSettings } from '../../src/config/read-settings.js';
import { openDatabase } from '../../src/database/open-database.js';
import { parseKeyCommand, USAGE, type KeyCommand } from './keys/key-command.js';
import { reportFailure } from './report-failure.js';
import { requireDatabase } from './require-database.js';

/** `npm run keys`: creates, lists and revokes API keys on the server. */
async function main(args: readonly string[]): Promise<void> {
  const command = parseKeyCommand(args);
  const settings = readSettings(process.env);
  await requireDatabase(settings);
  const database = await inDataFolder(settings, () => openDatabase(settings, [ApiKeyEntity, AppEntity]));
  try {
    const secret = await SigningSecret.load(settings);
    await execute(command, new KeyService(new KeyRepository(database.getRepository(ApiKeyEntity)), secret));
  } finally {
    await database.destroy();
  }
}

async function execute(command: KeyCommand, keys: KeyService): Promise<void> {
  switch (command.action) {
    case 'create': {
      const { stored, token } = await keys.issue(command);
      console.error(`Key ${stored.id} for tenant ${stored.appId}; it is shown this once:`);
      console.log(token);
      return;
    }
    case 'list': {
      const stored = await keys.list(command);
      if (stored.length === 0) console.error(`Tenant ${command.appId} has no keys.`);
      for (const { id, name, permissions, expiresAt, revokedAt } of stored) {
        const state = revokedAt === null ? `expires ${expiresAt?.toISOString() ?? 'never'}` : 'revoked';
        console.log(`${id}  ${permissions.join(',')}  ${state}  ${name}`);
      }
      return;
    }
    case 'revoke':
      await keys.revoke(command, command.id);
      console.log(`Key ${command.id} revoked`);
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  reportFailure(error, { usage: USAGE });
});
