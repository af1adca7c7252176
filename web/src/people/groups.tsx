import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Group } from '../api/lectern.js';
import { useSession } from '../app/session.js';
import { ActionDialog } from '../design/action-dialog.js';
import { t } from '../language/translate.js';
import { ChangeGroup } from './change-group.js';
import { isGroupName, newIdFor } from './describe.js';
import { GroupNameField } from './fields.js';

interface GroupsProps {
  readonly groups: readonly Group[];
  readonly onChanged: () => void;
}

/** The groups, each with the number of its people. Those of the identity provider are changed there. */
export function Groups({ groups, onChanged }: GroupsProps): JSX.Element {
  const { client } = useSession();
  const [name, setName] = useState('');
  const taken = new Set(groups.map(({ id }) => id));
  const isTaken = isGroupName(name, groups);
  return (
    <section class="card flush people-section">
      <h2>{t('people.groups')}</h2>
      <ul class="people-list">
        {groups.map((group) => (
          <li key={group.id} class="row">
            <span>
              <bdi>{group.name ?? group.id}</bdi>
              <span class="small muted person-id">
                {t('people.members', { count: group.members.length })}
                {group.provided && ` · ${t('people.provided')}`}
              </span>
            </span>
            {!group.provided && (
              <span class="row end">
                <ChangeGroup group={group} groups={groups} onChanged={onChanged} />
                <ActionDialog
                  label={t('action.deleteDots')}
                  ariaLabel={t('people.deleteGroup', { name: group.name ?? group.id })}
                  title={t('people.deleteGroup', { name: group.name ?? group.id })}
                  verb={t('action.delete')}
                  buttonClass="small-button"
                  isDangerous
                  onDo={(signal) => client.people.deleteGroup(group.id, { signal })}
                  onDone={onChanged}
                >
                  <p>{t('people.deleteGroupHint')}</p>
                </ActionDialog>
              </span>
            )}
          </li>
        ))}
      </ul>
      <div class="row people-new-group">
        <ActionDialog
          label={t('people.newGroup')}
          title={t('people.newGroup')}
          verb={t('people.makeGroup')}
          buttonClass="small-button"
          isReady={name.trim() !== '' && !isTaken}
          onOpen={() => {
            setName('');
          }}
          onDo={(signal) => client.people.createGroup(newIdFor(name, taken), name.trim(), { signal })}
          onDone={onChanged}
        >
          <GroupNameField name={name} isTaken={isTaken} onName={setName} />
        </ActionDialog>
      </div>
    </section>
  );
}
