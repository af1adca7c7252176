import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Group, NamedPrincipal } from '../api/lectern.js';
import { useLoaded } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { ActionDialog } from '../design/action-dialog.js';
import { ErrorNotice } from '../design/notices.js';
import { t } from '../language/translate.js';
import { useNames } from '../names/named.js';
import { personIn, userPrincipal } from '../names/principal.js';
import { isGroupName } from './describe.js';
import { GroupNameField } from './fields.js';

interface ChangeGroupProps {
  readonly group: Group;
  /** All groups. */
  readonly groups: readonly Group[];
  readonly onChanged: () => void;
}

/** A dialog for the name and the members of a group. */
export function ChangeGroup({ group, groups, onChanged }: ChangeGroupProps): JSX.Element {
  const { client } = useSession();
  const shown = group.name ?? group.id;
  const [name, setName] = useState(shown);
  const [members, setMembers] = useState<ReadonlySet<string>>(new Set());
  const isTaken =
    name.trim() !== shown &&
    isGroupName(
      name,
      groups.filter(({ id }) => id !== group.id),
    );
  const save = async (signal: AbortSignal): Promise<void> => {
    if (name.trim() !== shown) await client.people.renameGroup(group.id, name.trim(), { signal });
    const joined = [...members].filter((member) => !group.members.includes(member));
    if (joined.length > 0) await client.people.addMembers(group.id, joined, { signal });
    for (const member of group.members) {
      if (!members.has(member)) await client.people.removeMember(group.id, member, { signal });
    }
  };
  return (
    <ActionDialog
      label={t('people.changeDots')}
      ariaLabel={t('people.changeOf', { name: shown })}
      title={t('people.changeOf', { name: shown })}
      verb={t('action.save')}
      buttonClass="small-button"
      isReady={name.trim() !== '' && !isTaken}
      onOpen={() => {
        setName(shown);
        setMembers(new Set(group.members));
      }}
      onDo={save}
      onDone={onChanged}
      onStopped={onChanged}
    >
      <GroupNameField name={name} isTaken={isTaken} onName={setName} />
      <Members before={group.members} members={members} onChange={setMembers} />
    </ActionDialog>
  );
}

interface MembersProps {
  /** The members before the change, who stay in the list when they are taken out. */
  readonly before: readonly string[];
  readonly members: ReadonlySet<string>;
  readonly onChange: (members: ReadonlySet<string>) => void;
}

/** The members of a group, and others who are found by name. */
function Members({ before, members, onChange }: MembersProps): JSX.Element {
  const { client, names } = useSession();
  const [text, setText] = useState('');
  const listed = [...new Set([...before, ...members])];
  const nameOf = useNames(listed.map(userPrincipal));
  const found = useLoaded<NamedPrincipal[]>(
    async (signal) => {
      const principals = text.trim() === '' ? [] : await client.people.search(text.trim(), { signal });
      names.learn(principals);
      return principals;
    },
    [text],
  );
  const others = (found.value ?? []).flatMap(({ id }) => {
    const person = personIn(id);
    return person === null || listed.includes(person) ? [] : [person];
  });
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  const set = (person: string, isMember: boolean): void => {
    const next = new Set(members);
    if (isMember) next.add(person);
    else next.delete(person);
    onChange(next);
  };
  const choice = (person: string): JSX.Element => (
    <label key={person} class="check">
      <input
        type="checkbox"
        checked={members.has(person)}
        onChange={(event) => {
          set(person, event.currentTarget.checked);
        }}
      />
      <span>
        <bdi>{nameOf(userPrincipal(person))}</bdi> <bdi class="small muted">{person}</bdi>
      </span>
    </label>
  );
  return (
    <fieldset class="people-groups">
      <legend>{t('people.members', { count: members.size })}</legend>
      <input
        type="search"
        dir="auto"
        autocomplete="off"
        aria-label={t('people.addMember')}
        placeholder={t('people.addMember')}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
        }}
      />
      <ErrorNotice error={found.error} />
      {others.map(choice)}
      {listed
        .sort((one, other) => compare(nameOf(userPrincipal(one)), nameOf(userPrincipal(other))))
        .map(choice)}
    </fieldset>
  );
}
