import type { JSX } from 'preact';
import type { Key } from '../api/lectern.js';
import { useSession } from '../app/session.js';
import { ActionDialog } from '../design/action-dialog.js';
import { when } from '../documents/record.js';
import { rich, t } from '../language/translate.js';
import { accessOf } from './describe.js';

interface ApplicationsProps {
  /** Keys without a person that work. */
  readonly keys: readonly Key[];
  readonly onEnded: () => void;
}

/** Keys of applications and of administrators without a person. */
export function Applications({ keys, onEnded }: ApplicationsProps): JSX.Element | null {
  const { client, holder } = useSession();
  if (keys.length === 0) return null;
  const administrators = keys.filter(({ scopes }) => scopes.includes('admin'));
  return (
    <section class="card flush people-section">
      <h2>{t('people.applications')}</h2>
      <ul class="people-list">
        {keys.map((key) => (
          <li key={key.id} class="row">
            <span>
              <bdi>{key.name}</bdi>
              <span class="small muted person-id">
                {accessOf(key)} · {when(key.created_at)}
              </span>
            </span>
            <ActionDialog
              label={t('people.end')}
              ariaLabel={t('people.endOf', { name: key.name })}
              title={t('people.endSure', { name: key.name })}
              verb={t('people.end')}
              buttonClass="small-button"
              isDangerous
              onDo={(signal) => client.keys.revoke(key.id, { signal })}
              onDone={onEnded}
            >
              <p>{t('people.endHint')}</p>
              {key.id === holder.keyId && <p class="notice bad">{t('people.ownKey')}</p>}
              {administrators.length === 1 && administrators[0] === key && (
                <p class="notice bad">
                  {rich('people.lastAdmin', { code: (parts) => <code>{parts}</code> })}
                </p>
              )}
            </ActionDialog>
          </li>
        ))}
      </ul>
    </section>
  );
}
