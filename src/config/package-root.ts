import { dirname, join } from 'node:path';
import { existsSync, readFileSync, realpathSync } from 'node:fs';

/** Folder of the installation (the one with package.json and `models/`), found upwards from the started script. */
export const packageRoot = findRoot(startedFrom()) ?? process.cwd();

/** Of a command that npm installed the script is a link in `node_modules/.bin`. */
function startedFrom(): string {
  const script = process.argv[1];
  return script === undefined || !existsSync(script) ? process.cwd() : dirname(realpathSync(script));
}

function findRoot(folder: string): string | undefined {
  if (existsSync(join(folder, 'package.json')) && existsSync(join(folder, 'models'))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : findRoot(parent);
}

/** A compiled worker script: worker threads run JavaScript, also when the caller is a test. */
export function workerScript(path: string): string {
  return join(packageRoot, 'dist', path);
}

/** Version of the installation, from its package.json. */
export const VERSION = (
  JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string }
).version;
