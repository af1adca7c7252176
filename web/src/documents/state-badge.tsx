import type { JSX } from 'preact';
import type { DocumentState } from './record.js';
import { t } from '../language/translate.js';

export function StateBadge({ state }: { readonly state: DocumentState }): JSX.Element {
  return <span class={`badge ${state}`}>{t(`state.${state}`)}</span>;
}
