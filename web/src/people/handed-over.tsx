import type { JSX } from 'preact';
import type { Key, LecternClient } from '../api/lectern.js';
import { moment } from '../documents/record.js';
import { CopyButton } from '../design/copy-button.js';
import { hereOf } from './describe.js';
import { t } from '../language/translate.js';

/** A key or link that an administrator hands over. The page shows it only once. */
export type Handover =
  | { readonly kind: 'link'; readonly name: string; readonly url: string; readonly until: string }
  | { readonly kind: 'key'; readonly name: string; readonly key: string };

/** Makes a sign-in link for a key. */
export async function invitation(
  client: LecternClient,
  { id, name }: Pick<Key, 'id' | 'name'>,
  signal: AbortSignal,
): Promise<Handover> {
  const { url, expires_at: until } = await client.keys.signInLink(id, { signal });
  return { kind: 'link', name, url: hereOf(url), until };
}

interface HandedOverProps {
  readonly handover: Handover;
  readonly onClose: () => void;
}

export function HandedOver({ handover, onClose }: HandedOverProps): JSX.Element {
  const isLink = handover.kind === 'link';
  const text = isLink ? handover.url : handover.key;
  return (
    <section aria-label={t('handed.label')} class="card handed-over" role="status">
      <p>
        <strong>{t(isLink ? 'handed.sendLink' : 'handed.keyOf', { name: handover.name })}</strong>{' '}
        {isLink ? t('handed.once', { until: moment(handover.until) }) : t('handed.shownOnce')}
      </p>
      <div class="row handed-over-text">
        <code>{text}</code>
        <CopyButton text={text} label={isLink ? t('devices.copyLink') : t('handed.copyKey')} />
        <button type="button" class="small-button" onClick={onClose}>
          {t('action.done')}
        </button>
      </div>
    </section>
  );
}
