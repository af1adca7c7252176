import type { JSX } from 'preact';
import type { DocumentState } from './record.js';

const WORDS: Readonly<Record<DocumentState, string>> = {
  processing: 'Processing',
  completed: 'Ready',
  failed: 'Failed',
};

export function StateBadge({ state }: { readonly state: DocumentState }): JSX.Element {
  return <span class={`badge ${state}`}>{WORDS[state]}</span>;
}
