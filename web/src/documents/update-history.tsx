import type { JSX } from 'preact';
import { t } from '../language/translate.js';
import { moment, textOf } from './record.js';

const CHANGES = {
  add: 'history.add',
  metadata: 'history.metadata',
  rename: 'history.rename',
  replace: 'history.replace',
} as const;

/** The versions of a document: what changed, and when. */
export function UpdateHistory({ entries }: { readonly entries: readonly unknown[] }): JSX.Element {
  return (
    <ul class="plain">
      {entries.map((entry, place) => (
        <li key={place}>{inWords(entry)}</li>
      ))}
    </ul>
  );
}

function inWords(entry: unknown): string {
  const { version, strategy, timestamp } = Object(entry) as Readonly<Record<string, unknown>>;
  const change = Object.entries(CHANGES).find(([name]) => name === strategy)?.[1];
  if (change === undefined) return textOf(entry);
  return t(change, { version: Number(version), when: moment(timestamp) });
}
