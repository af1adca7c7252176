import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Group, Person } from '../api/lectern.js';
import { useSession } from '../app/session.js';
import { ActionDialog } from '../design/action-dialog.js';
import { when } from '../documents/record.js';
import { listText, numberText } from '../language/quantities.js';
import { t } from '../language/translate.js';
import { accessOf, ACCESS } from './describe.js';
import { EndPerson } from './end-person.js';
import { AccessField, NameField } from './fields.js';

interface PersonRowProps {
  readonly person: Person;
  /** Whether the reader may know how many documents people have. */
  readonly countsDocuments: boolean;
  readonly groups: readonly Group[];
  /** Makes a sign-in link; null: the person needs none. */
  readonly onLink: (() => void) | null;
  readonly onChanged: () => void;
}

export function PersonRow({
  person,
  countsDocuments,
  groups,
  onLink,
  onChanged,
}: PersonRowProps): JSX.Element {
  const { id, name, scopes } = person;
  const named = person.groups.map((group) => groups.find((one) => one.id === group)?.name ?? group);
  return (
    <tr>
      <td class="name">
        <bdi>{name}</bdi>
        <span class="small muted person-id">
          <bdi>{person.detail ?? id}</bdi>
          {person.active && ` · ${accessOf({ scopes, end_user_id: id })}`}
        </span>
        {named.length > 0 && <span class="small muted person-id">{listText(named)}</span>}
      </td>
      <td class="number muted counted">
        <span class="phone-only">{t('people.questions')}: </span>
        {numberText(person.questions)}
      </td>
      {countsDocuments && (
        <td class="number muted wide-only">
          {person.documents === null ? '' : numberText(person.documents)}
        </td>
      )}
      <td class="muted wide-only">
        {person.last_active_at === null ? t('people.neverUsed') : when(person.last_active_at)}
      </td>
      <td class="actions">
        <span class="row end">
          {person.active && onLink !== null && (
            <button
              type="button"
              class="small-button"
              aria-label={t('people.newLinkFor', { name })}
              onClick={onLink}
            >
              {t('people.newLink')}
            </button>
          )}
          {person.active && <ChangePerson person={person} groups={groups} onChanged={onChanged} />}
          {!person.active && person.signs_in_elsewhere && (
            <RestorePerson person={person} onRestored={onChanged} />
          )}
          <EndPerson person={person} onEnded={onChanged} />
        </span>
      </td>
    </tr>
  );
}

/** Lets somebody whose access ended sign in again at the identity provider. */
function RestorePerson({
  person: { id, name },
  onRestored,
}: {
  readonly person: Person;
  readonly onRestored: () => void;
}): JSX.Element {
  const { client } = useSession();
  return (
    <ActionDialog
      label={t('people.restoreDots')}
      ariaLabel={t('people.restoreOf', { name })}
      title={t('people.restoreOf', { name })}
      verb={t('people.restore')}
      buttonClass="small-button"
      onDo={(signal) => client.people.change(id, { active: true }, { signal })}
      onDone={onRestored}
    >
      <p>{t('people.restoreHint')}</p>
    </ActionDialog>
  );
}

interface ChangePersonProps {
  readonly person: Person;
  readonly groups: readonly Group[];
  readonly onChanged: () => void;
}

/** A dialog for name, permissions and groups, without what the identity provider decides. */
function ChangePerson({ person, groups, onChanged }: ChangePersonProps): JSX.Element {
  const { client } = useSession();
  const [name, setName] = useState(person.name);
  const [access, setAccess] = useState(-1);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const own = groups.filter(({ members }) => members.includes(person.id)).map(({ id }) => id);
  const begin = (): void => {
    setName(person.name);
    setAccess(ACCESS.findIndex(({ scopes }) => accessIs(person, scopes)));
    setChosen(new Set(own));
  };
  const scopes = person.admin_elsewhere ? undefined : ACCESS[access]?.scopes;
  return (
    <ActionDialog
      label={t('people.changeDots')}
      ariaLabel={t('people.changeOf', { name: person.name })}
      title={t('people.changeOf', { name: person.name })}
      verb={t('action.save')}
      buttonClass="small-button"
      isReady={person.signs_in_elsewhere || name.trim() !== ''}
      onOpen={begin}
      onDo={(signal) =>
        client.people.change(
          person.id,
          {
            groups: [...chosen],
            ...(!person.signs_in_elsewhere && { name: name.trim() }),
            ...(scopes !== undefined && { scopes: [...scopes] }),
          },
          { signal },
        )
      }
      onDone={onChanged}
    >
      {person.signs_in_elsewhere ? (
        <p class="muted">{t(person.admin_elsewhere ? 'people.adminElsewhere' : 'people.namedElsewhere')}</p>
      ) : (
        <NameField name={name} onName={setName} />
      )}
      {!person.admin_elsewhere && (
        <AccessField
          access={access}
          onAccess={setAccess}
          other={accessOf({ ...person, end_user_id: person.id })}
        />
      )}
      {groups.length > 0 && (
        <fieldset class="people-groups">
          <legend>{t('people.groups')}</legend>
          {groups.map(({ id, name: label }) => (
            <label key={id} class="check">
              <input
                type="checkbox"
                checked={chosen.has(id)}
                onChange={(event) => {
                  const next = new Set(chosen);
                  if (event.currentTarget.checked) next.add(id);
                  else next.delete(id);
                  setChosen(next);
                }}
              />
              <bdi>{label ?? id}</bdi>
            </label>
          ))}
        </fieldset>
      )}
    </ActionDialog>
  );
}

function accessIs({ scopes }: Pick<Person, 'scopes'>, of: Person['scopes']): boolean {
  if (scopes.includes('admin')) return of.includes('admin');
  return of.length === scopes.length && of.every((scope) => scopes.includes(scope));
}
