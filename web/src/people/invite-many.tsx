import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Group, InvitedPeople } from '../api/lectern.js';
import { useSession } from '../app/session.js';
import { ActionDialog } from '../design/action-dialog.js';
import { CopyButton } from '../design/copy-button.js';
import { downloadText } from '../design/download.js';
import { t } from '../language/translate.js';
import { ACCESS, hereOf } from './describe.js';
import { PastedPeople } from './pasted-people.js';
import { linksAsCsv, peopleIn } from './people-in.js';
import { AccessField } from './fields.js';

interface InviteManyProps {
  /** Identifiers of all people who have, or had, access. */
  readonly people: ReadonlySet<string>;
  /** Identifiers of those who have access. */
  readonly active: ReadonlySet<string>;
  readonly groups: readonly Group[];
  readonly onInvited: () => void;
}

/** Invites everybody on a pasted list. The links are shown once, and can be saved as a table. */
export function InviteMany({ people, active, groups, onInvited }: InviteManyProps): JSX.Element {
  const { client } = useSession();
  const [text, setText] = useState('');
  const [access, setAccess] = useState(0);
  const [group, setGroup] = useState('');
  const [invited, setInvited] = useState<InvitedPeople['people']>([]);
  const pasted = peopleIn(text, people, active);
  const named = pasted.filter(({ problem }) => problem === null);
  const inGroup = groups.find(({ id }) => id === group);
  const role = [
    t((ACCESS[access] ?? ACCESS[0]).person),
    ...(inGroup === undefined ? [] : [inGroup.name ?? inGroup.id]),
  ];
  const links = invited.map((one) => ({ ...one, url: hereOf(one.url) }));
  return (
    <>
      <ActionDialog
        label={t('people.inviteMany')}
        title={t('people.inviteMany')}
        verb={t('people.makeInvitations', { count: named.length })}
        isReady={named.length > 0}
        onOpen={() => {
          setText('');
        }}
        onDo={async (signal) => {
          const { scopes } = ACCESS[access] ?? ACCESS[0];
          const made = await client.people.invite(
            {
              people: named.map(({ name, id }) => ({
                name,
                end_user_id: id,
                scopes: [...scopes],
                ...(group === '' ? {} : { groups: [group] }),
              })),
            },
            { signal },
          );
          setInvited(made.people);
        }}
        onDone={onInvited}
      >
        <label>
          {t('people.pasteNames')}
          <textarea
            required
            rows={8}
            dir="auto"
            spellcheck={false}
            placeholder={`${t('people.personExample')}\n${t('people.secondExample')}`}
            value={text}
            onInput={(event) => {
              setText(event.currentTarget.value);
            }}
          />
        </label>
        <AccessField access={access} onAccess={setAccess} />
        {groups.length > 0 && (
          <label>
            {t('people.group')}
            <select
              value={group}
              onChange={(event) => {
                setGroup(event.currentTarget.value);
              }}
            >
              <option value="">{t('people.noGroup')}</option>
              {groups.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name ?? id}
                </option>
              ))}
            </select>
          </label>
        )}
        <PastedPeople pasted={pasted} role={role.join(' · ')} />
      </ActionDialog>
      {links.length > 0 && (
        <section class="card handed-over people-links" aria-label={t('handed.label')} role="status">
          <p>
            <strong>{t('people.linksMade', { count: links.length })}</strong> {t('people.linksOnce')}
          </p>
          <div class="row">
            <button
              type="button"
              class="small-button"
              onClick={() => {
                downloadText('invitations.csv', 'text/csv', linksAsCsv(links));
              }}
            >
              {t('people.saveLinks')}
            </button>
            <CopyButton text={linksAsCsv(links)} label={t('people.copyLinks')} />
            <button
              type="button"
              class="small-button"
              onClick={() => {
                setInvited([]);
              }}
            >
              {t('action.done')}
            </button>
          </div>
        </section>
      )}
    </>
  );
}
