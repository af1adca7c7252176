import type { JSX } from 'preact';
import { t } from '../language/translate.js';
import type { PastedPerson, PasteProblem } from './people-in.js';

interface PastedPeopleProps {
  readonly pasted: readonly PastedPerson[];
  /** What the invited people may do, and their group, in words. */
  readonly role: string;
}

/** Who would be invited, and why others would not. */
export function PastedPeople({ pasted, role }: PastedPeopleProps): JSX.Element | null {
  if (pasted.length === 0) return null;
  const wrong = pasted.filter(({ problem }) => problem !== null).length;
  const ordered = [...pasted].sort(
    (one, other) => Number(one.problem === null) - Number(other.problem === null),
  );
  return (
    <>
      <p class="small" role="status">
        {t('people.wouldInvite', { count: pasted.length - wrong })}
        {wrong > 0 && ` · ${t('people.leftOut', { count: wrong })}`}
      </p>
      <ul class="plain pasted-people" tabIndex={0} aria-label={t('people.preview')}>
        {ordered.map(({ name, id, problem }, index) => (
          <li key={index} class={problem === null ? '' : 'wrong'}>
            <span>
              <bdi>{name}</bdi> <bdi class="small muted">{id}</bdi>
            </span>
            <span class="small muted">{problem === null ? role : t(PROBLEMS[problem])}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

const PROBLEMS = {
  active: 'people.pastedActive',
  columns: 'people.pastedColumns',
  longId: 'people.pastedLongId',
  longName: 'people.pastedLongName',
  noName: 'people.pastedNoName',
  tooMany: 'people.pastedTooMany',
  twice: 'people.pastedTwice',
} as const satisfies Record<PasteProblem, string>;
