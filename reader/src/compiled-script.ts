import { fileURLToPath } from 'node:url';

/**
 * Returns the path of a compiled script of this package. A process or a worker thread always runs the compiled script,
 * even in a test that runs TypeScript.
 *
 * @param path in `dist`, which is the neighbour of `src`
 */
export function compiledScript(path: string): string {
  return fileURLToPath(new URL(`../dist/${path}`, import.meta.url));
}
