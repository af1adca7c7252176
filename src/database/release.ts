import { COMMIT, VERSION } from '../config/package-root.js';
import { LAST_MIGRATION } from './migrations/index.js';

/** What is running: `commit` is empty if the build did not know it, `schema` is the last migration. */
export const RELEASE = { version: VERSION, commit: COMMIT ?? '', schema: LAST_MIGRATION } as const;

/** Returns the release as one line, such as `0.1.0 (commit 1a2b3c4d, schema SharedStatistics1700000043000)`. */
export function printedRelease({ version, commit, schema }: typeof RELEASE = RELEASE): string {
  const parts = [...(commit === '' ? [] : [`commit ${commit}`]), `schema ${schema}`];
  return `${version} (${parts.join(', ')})`;
}
