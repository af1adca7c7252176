import { dirname, join } from 'node:path';
import { existsSync, readFileSync, realpathSync } from 'node:fs';

/**
 * Root folder of the installation: the nearest ancestor of the started script that contains package.json and `models/`.
 */
export const packageRoot = findRoot(startedFrom()) ?? process.cwd();

/**
 * Returns the folder of the started script. Resolves links, because npm installs a command as a link in
 * `node_modules/.bin`.
 */
function startedFrom(): string {
  const script = process.argv[1];
  return script === undefined || !existsSync(script) ? process.cwd() : dirname(realpathSync(script));
}

function findRoot(folder: string): string | undefined {
  if (existsSync(join(folder, 'package.json')) && existsSync(join(folder, 'models'))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : findRoot(parent);
}

/**
 * Returns the path of a compiled worker script. A worker thread always runs the compiled script, even in a test that
 * runs TypeScript.
 */
export function workerScript(path: string): string {
  return join(packageRoot, 'dist', path);
}

/** Commit that the installation was built from; null: the build did not know it. `scripts/commit.mjs` writes the file. */
export const COMMIT = readCommit(join(packageRoot, 'dist', 'commit'));

function readCommit(file: string): string | null {
  const commit = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  return commit === '' ? null : commit;
}

/** Version of the installation, from its package.json. */
export const VERSION = (
  JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string }
).version;
