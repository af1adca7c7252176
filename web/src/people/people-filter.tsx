import type { JSX } from 'preact';
import type { Group } from '../api/lectern.js';
import { t } from '../language/translate.js';

/** Which people are shown, and in which order. */
export interface Shown {
  readonly text: string;
  readonly scope: '' | 'admin' | 'write';
  readonly group: string;
  readonly state: 'active' | 'ended';
  readonly sort: 'name' | 'last_active' | 'questions' | 'since';
}

export const EVERYBODY: Shown = { text: '', scope: '', group: '', state: 'active', sort: 'name' };

interface PeopleFilterProps {
  readonly shown: Shown;
  readonly groups: readonly Group[];
  readonly onShow: (shown: Shown) => void;
}

export function PeopleFilter({ shown, groups, onShow }: PeopleFilterProps): JSX.Element {
  const show = (change: Partial<Shown>): void => {
    const next = { ...shown, ...change };
    const isEverybody = JSON.stringify(next) === JSON.stringify(EVERYBODY);
    onShow(isEverybody ? EVERYBODY : next);
  };
  return (
    <search class="row people-filter">
      <input
        type="search"
        aria-label={t('people.find')}
        placeholder={t('people.find')}
        value={shown.text}
        onInput={(event) => {
          show({ text: event.currentTarget.value });
        }}
      />
      <select
        aria-label={t('people.shownWho')}
        value={shown.state === 'ended' ? 'ended' : shown.scope}
        onChange={({ currentTarget: { value } }) => {
          const isEnded = value === 'ended';
          show({ state: isEnded ? 'ended' : 'active', scope: isEnded ? '' : (value as Shown['scope']) });
        }}
      >
        <option value="">{t('people.everybody')}</option>
        <option value="write">{t('people.whoAdd')}</option>
        <option value="admin">{t('people.whoAdminister')}</option>
        <option value="ended">{t('people.whoEnded')}</option>
      </select>
      {groups.length > 0 && (
        <select
          aria-label={t('people.group')}
          value={shown.group}
          onChange={(event) => {
            show({ group: event.currentTarget.value });
          }}
        >
          <option value="">{t('people.allGroups')}</option>
          {groups.map(({ id, name }) => (
            <option key={id} value={id}>
              {name ?? id}
            </option>
          ))}
        </select>
      )}
      <select
        aria-label={t('people.order')}
        value={shown.sort}
        onChange={(event) => {
          show({ sort: event.currentTarget.value as Shown['sort'] });
        }}
      >
        <option value="name">{t('people.byName')}</option>
        <option value="last_active">{t('people.byLastUsed')}</option>
        <option value="questions">{t('people.byQuestions')}</option>
        <option value="since">{t('people.bySince')}</option>
      </select>
    </search>
  );
}
