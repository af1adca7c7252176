import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Sources, and the file that `tsc -b` writes when it has compiled them. */
const BUILDS = [
  ['src', 'dist/.tsbuildinfo'],
  ['reader/src', 'reader/dist/.tsbuildinfo'],
];

/**
 * Returns why compiled code does not show what the sources do, or undefined. A spec that starts the service, a worker
 * thread or a process that reads files would otherwise pass for code that has been replaced.
 *
 * @param {string} root folder of the checkout
 * @returns {string | undefined}
 */
export function staleBuild(root) {
  for (const [sources, built] of BUILDS) {
    const at = join(root, built);
    if (!existsSync(at)) return `${built} is missing: run npm run build`;
    const time = statSync(at).mtimeMs;
    const folder = join(root, sources);
    const newer = readdirSync(folder, { recursive: true }).find(
      (name) =>
        name.endsWith('.ts') && !name.endsWith('.spec.ts') && statSync(join(folder, name)).mtimeMs > time,
    );
    if (newer !== undefined) return `${sources}/${newer} is newer than ${built}: run npm run build`;
  }
  return undefined;
}
