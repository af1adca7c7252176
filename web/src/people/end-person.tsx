import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { NamedPrincipal, Person } from '../api/lectern.js';
import { useCall, useLoaded } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { ActionDialog } from '../design/action-dialog.js';
import { download } from '../design/download.js';
import { ErrorNotice } from '../design/notices.js';
import { t } from '../language/translate.js';
import { personIn } from '../names/principal.js';

type Fate = 'keep' | 'hand_over' | 'delete';

interface EndPersonProps {
  readonly person: Person;
  readonly onEnded: () => void;
}

/**
 * Ends the access of a person, and asks what becomes of the documents and chats: only somebody who may know how many there
 * are may do more than keep them. For a person whose access ended earlier it asks only that.
 */
export function EndPerson({ person, onEnded }: EndPersonProps): JSX.Element | null {
  const { client, holder } = useSession();
  const { id, name, active, documents, chats } = person;
  const [fate, setFate] = useState<Fate>('keep');
  const [deletesChats, setDeletesChats] = useState(false);
  const [to, setTo] = useState('');
  const owns = (documents ?? 0) + (chats ?? 0) > 0;
  if (!active && !owns) return null;
  const isDeletion = fate === 'delete' || deletesChats;
  return (
    <ActionDialog
      label={active ? t('people.end') : t('people.possessionsDots')}
      ariaLabel={active ? t('people.endOf', { name }) : t('people.possessionsOf', { name })}
      title={active ? t('people.endSure', { name }) : t('people.possessionsOf', { name })}
      verb={active ? t('people.end') : t('action.save')}
      buttonClass="small-button"
      isDangerous
      isReady={fate !== 'hand_over' || to !== ''}
      toType={isDeletion ? id : null}
      onOpen={() => {
        setFate('keep');
        setDeletesChats(false);
        setTo('');
      }}
      onDo={(signal) =>
        client.people.remove(id, {
          documents: fate,
          chats: deletesChats ? 'delete' : 'keep',
          ...(fate === 'hand_over' ? { to } : {}),
          signal,
        })
      }
      onDone={onEnded}
      onStopped={onEnded}
    >
      <p class="muted">
        <bdi>{person.detail ?? id}</bdi>
      </p>
      {active && (
        <p>
          {t('people.endHint')} {t(person.signs_in_elsewhere ? 'people.endBack' : 'people.endBackByLink')}
        </p>
      )}
      {documents === null && <p class="muted">{t('people.endKeeps')}</p>}
      {documents !== null && <PersonData id={id} />}
      {id === holder.person && <p class="notice bad">{t('people.ownKey')}</p>}
      {documents !== null && documents > 0 && (
        <fieldset class="people-groups">
          <legend>{t('people.documentsOf', { count: documents })}</legend>
          {(['keep', 'hand_over', 'delete'] as const).map((one) => (
            <label key={one} class="check">
              <input
                type="radio"
                name={`fate-${id}`}
                checked={fate === one}
                onChange={() => {
                  setFate(one);
                }}
              />
              {t(FATES[one])}
            </label>
          ))}
          {fate === 'hand_over' && <Heir of={id} to={to} onChoose={setTo} />}
        </fieldset>
      )}
      {chats !== null && chats > 0 && (
        <label class="check">
          <input
            type="checkbox"
            checked={deletesChats}
            onChange={(event) => {
              setDeletesChats(event.currentTarget.checked);
            }}
          />
          {t('people.deleteChats', { count: chats })}
        </label>
      )}
    </ActionDialog>
  );
}

/** Downloads what the service stores of a person. */
function PersonData({ id }: { readonly id: string }): JSX.Element {
  const { client } = useSession();
  const read = useCall((signal) => client.people.export(id, { signal }));
  const save = async (): Promise<void> => {
    const data = await read.run();
    if (data !== null) download(`${id.replaceAll(/[^\w.-]+/g, '-')}.jsonl`, data);
  };
  return (
    <>
      <p>
        <button type="button" disabled={read.running} onClick={() => void save()}>
          {read.running ? t('action.loading') : t('people.data')}
        </button>
      </p>
      <ErrorNotice error={read.error} />
    </>
  );
}

const FATES = {
  keep: 'people.fateKeep',
  hand_over: 'people.fateHandOver',
  delete: 'people.fateDelete',
} as const;

interface HeirProps {
  readonly of: string;
  readonly to: string;
  readonly onChoose: (id: string) => void;
}

/** Finds a person by name. */
function Heir({ of, to, onChoose }: HeirProps): JSX.Element {
  const { client } = useSession();
  const [text, setText] = useState('');
  const found = useLoaded<NamedPrincipal[]>(
    async (signal) => (text.trim() === '' ? [] : client.people.search(text.trim(), { signal })),
    [text],
  );
  const people = (found.value ?? []).flatMap(({ id, name, detail }) => {
    const person = personIn(id);
    return person === null || person === of ? [] : [{ person, name, detail: detail ?? person }];
  });
  return (
    <div class="people-heir">
      <input
        type="search"
        aria-label={t('people.heir')}
        placeholder={t('people.heir')}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          onChoose('');
        }}
      />
      {people.map(({ person, name, detail }) => (
        <label key={person} class="check">
          <input
            type="radio"
            name={`heir-${of}`}
            checked={person === to}
            onChange={() => {
              onChoose(person);
            }}
          />
          <span>
            <bdi>{name}</bdi> <bdi class="small muted">{detail}</bdi>
          </span>
        </label>
      ))}
    </div>
  );
}
