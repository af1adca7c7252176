/**
 * Packs a migrated, empty embedded database into dist/database/template.zip, from which the service starts in an empty
 * data folder. `npm run build` runs it; it does nothing if the migrations and the database library are those of the
 * last run.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zipSync } from 'fflate';

const ARCHIVE = 'dist/database/template.zip';
const STAMP = 'dist/database/template.stamp';

const stamp = createHash('sha256');
stamp.update(readFileSync('node_modules/@electric-sql/pglite/package.json'));
stamp.update(readFileSync('scripts/database-template.mjs'));
for (const folder of ['dist/database/migrations', 'dist/database']) {
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.js'))) {
    stamp.update(readFileSync(join(folder, name)));
  }
}
const wanted = stamp.digest('hex');
if (!existsSync(ARCHIVE) || !existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== wanted) {
  rmSync(ARCHIVE, { force: true });
  const folder = mkdtempSync(join(tmpdir(), 'lectern-template-'));
  try {
    const database = join(folder, 'postgres');
    await createDatabase(database);
    writeFileSync(ARCHIVE, zipSync(entriesOf(database), { level: 9 }));
    writeFileSync(STAMP, wanted);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function createDatabase(folder) {
  const { startEmbeddedPostgres } = await import('../dist/database/embedded/embedded-postgres.js');
  const { Database } = await import('../dist/database/data-source.js');
  const embedded = await startEmbeddedPostgres(folder);
  const database = new Database({ socketDir: embedded.socketDir }, [], undefined, () => embedded.stop());
  await database.initialize();
  await database.runMigrations();
  await database.query('checkpoint');
  await database.destroy();
}

/** Returns files by path; a folder has a path that ends with a slash. */
function entriesOf(folder, path = '') {
  const entries = {};
  for (const name of readdirSync(join(folder, path)).sort()) {
    const inside = path === '' ? name : `${path}/${name}`;
    if (statSync(join(folder, inside)).isDirectory()) {
      Object.assign(entries, { [`${inside}/`]: new Uint8Array(0) }, entriesOf(folder, inside));
    } else {
      entries[inside] = readFileSync(join(folder, inside));
    }
  }
  return entries;
}
