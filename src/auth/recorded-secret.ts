import sql from 'sql-template-tag';
import { run, type Queryable } from '../database/run.js';
import { StartRefused } from '../errors/index.js';
import type { SigningSecret } from './signing-secret.js';

const NAME = 'signing_secret';

/** A digest of each secret, which tells secrets apart and reveals nothing about them. */
function digestsOf(secret: SigningSecret): string[] {
  return secret.deriveAll('recorded-secret').map((bytes) => Buffer.from(bytes).toString('hex').slice(0, 16));
}

/** Records which secret the service signs keys with. @returns whether the recorded secret was another one */
export async function recordSecret(database: Queryable, secret: SigningSecret): Promise<boolean> {
  const [own = ''] = digestsOf(secret);
  const recorded = await recordedDigest(database);
  if (recorded !== own) {
    await run(
      database,
      sql`insert into service_state (name, value) values (${NAME}, to_jsonb(${own}::text))
          on conflict (name) do update set value = excluded.value`,
    );
  }
  return recorded !== undefined && !digestsOf(secret).includes(recorded);
}

/**
 * Checks that a key which a command signs will be accepted by the service.
 * @throws StartRefused if the service signs with another secret
 */
export async function requireRecordedSecret(database: Queryable, secret: SigningSecret): Promise<void> {
  const recorded = await recordedDigest(database);
  if (recorded === undefined || digestsOf(secret).includes(recorded)) return;
  throw new StartRefused(
    'The service would reject the key, because it last started with another JWT_SECRET: set JWT_SECRET to that of the service (without it, the content of DATA_DIR/jwt-secret), or start the service once with the new one',
  );
}

async function recordedDigest(database: Queryable): Promise<string | undefined> {
  const [row] = await run<{ value: string }>(
    database,
    sql`select value from service_state where name = ${NAME}`,
  );
  return row?.value;
}
