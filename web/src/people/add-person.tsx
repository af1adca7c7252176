import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { useCall } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { ErrorNotice } from '../design/notices.js';
import { ACCESS, newIdFor } from './describe.js';
import { invitation, type Handover } from './handed-over.js';
import { AccessField, NameField } from './fields.js';
import { t } from '../language/translate.js';

interface AddPersonProps {
  /** Identifiers of all people who have, or had, access. */
  readonly people: ReadonlySet<string>;
  readonly onAdded: (handover: Handover) => void;
}

/** Form for a new key. A person receives the key by a sign-in link; the key of an application is shown for copying. */
export function AddPerson({ people, onAdded }: AddPersonProps): JSX.Element {
  const { client } = useSession();
  const [name, setName] = useState('');
  const [id, setId] = useState<string | null>(null);
  const [access, setAccess] = useState(0);
  const [forPerson, setForPerson] = useState(true);
  const person = id ?? newIdFor(name, people);
  const isKnown = forPerson && people.has(person);
  const add = useCall(async (signal): Promise<Handover> => {
    const { scopes } = ACCESS[access] ?? ACCESS[0];
    const owner = forPerson ? { end_user_id: person } : {};
    const made = await client.keys.create({ name: name.trim(), scopes: [...scopes], ...owner }, { signal });
    if (!forPerson) return { kind: 'key', name: made.name, key: made.key };
    return invitation(client, made, signal);
  });
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const added = await add.run();
    if (added === null) return;
    onAdded(added);
    setName('');
    setId(null);
  };
  return (
    <form class="card add-person" onSubmit={(event) => void submit(event)}>
      <div class="add-person-fields">
        <label>
          {t('people.for')}
          <select
            value={forPerson ? 'person' : 'application'}
            onChange={(event) => {
              setForPerson(event.currentTarget.value === 'person');
            }}
          >
            <option value="person">{t('people.aPerson')}</option>
            <option value="application">{t('people.anApplication')}</option>
          </select>
        </label>
        <NameField
          name={name}
          onName={setName}
          example={forPerson ? t('people.personExample') : t('people.applicationExample')}
        />
        {forPerson && (
          <label>
            {t('people.identifier')}
            <input
              dir="ltr"
              required
              maxLength={256}
              autocomplete="off"
              spellcheck={false}
              placeholder="ann-lee"
              value={person}
              onInput={(event) => {
                setId(event.currentTarget.value);
              }}
            />
          </label>
        )}
        <AccessField access={access} onAccess={setAccess} forPerson={forPerson} />
        <button type="submit" class="primary" disabled={add.running || name.trim() === ''}>
          {forPerson ? t('people.makeInvitation') : t('people.makeKey')}
        </button>
      </div>
      {isKnown && (
        <p class="notice hint" role="alert">
          {t('people.known', { person })}
        </p>
      )}
      <ErrorNotice error={add.error} />
    </form>
  );
}
