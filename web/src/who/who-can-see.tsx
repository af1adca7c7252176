import { useEffect, useRef } from 'preact/hooks';
import type { JSX } from 'preact';
import type { AccessLists } from '../api/lectern.js';
import { useCall } from '../app/calls.js';
import { hrefOf } from '../app/router.js';
import { useSession } from '../app/session.js';
import { ErrorNotice } from '../design/notices.js';
import { useNames } from '../names/named.js';
import { idOf, userPrincipal } from '../names/principal.js';
import { listText, openListText } from '../language/quantities.js';
import { rich, t } from '../language/translate.js';
import { FindPrincipals } from './find-principals.js';
import { groupKind } from './group-kind.js';
import {
  EVERYONE,
  listsOf,
  membersOf,
  ROLES,
  withKeeper,
  withRole,
  type Member,
  type Role,
  type Subject,
} from './lists.js';
import './who.css';

interface MembersProps {
  readonly subject: Subject;
  /** The folder from which it gets lists if it has none of its own; null: there is none. */
  readonly folder: string | null;
  readonly isManager: boolean;
  /** @param lists null: those of the folder */
  readonly onSave: (lists: AccessLists | null, signal: AbortSignal) => Promise<unknown>;
  readonly onSaved: () => void;
}

/** Who can see a document or folder, with names; and for those who may change it, a form. */
export function Members({ subject, folder, isManager, onSave, onSaved }: MembersProps): JSX.Element {
  const { holder, names } = useSession();
  const { owner, source } = subject;
  const members = membersOf(subject);
  const nameOf = useWhoNames(subject);
  /** Tells people of one name apart: somebody who is not on the list may have the name too. */
  const detailOf = (principal: string): string | null => {
    const everybody = [userPrincipal(owner ?? ''), ...members.map((one) => one.principal)];
    const isShared = everybody.filter((one) => names.of(one) === names.of(principal)).length > 1;
    return names.detailOf(principal) ?? (isShared ? idOf(principal) : null);
  };
  const save = useCall(async (signal, lists: AccessLists | null) => {
    await onSave(lists, signal);
    return true;
  });
  const panel = useRef<HTMLDivElement>(null);
  /** What has the focus when the change is saved. What was pressed may disappear; a choice is disabled meanwhile. */
  const next = useRef<HTMLElement | null>(null);
  useEffect(() => {
    if (save.running) return;
    next.current?.focus();
    next.current = null;
  }, [save.running]);
  const change = async (lists: AccessLists | null): Promise<void> => {
    const { activeElement: pressed } = document;
    const field = panel.current?.querySelector<HTMLElement>('input[type=search]') ?? null;
    if (pressed instanceof HTMLSelectElement) next.current = pressed;
    else field?.focus();
    if ((await save.run(lists)) !== null) onSaved();
  };
  const setRole = (principal: string, role: Role | null): void => {
    void change(listsOf(withKeeper(withRole(members, principal, role), owner, holder.person)));
  };
  return (
    <div ref={panel} class="who-members">
      {source === 'folder' && folder !== null && (
        <p class="small muted">
          {rich('who.inherited', {
            folder: <bdi>{folder}</bdi>,
            a: (parts) => <a href={hrefOf('documents', null, { folder })}>{parts}</a>,
          })}
        </p>
      )}
      <ul class="plain">
        {owner !== null && (
          <li>
            <bdi>{nameOf(userPrincipal(owner))}</bdi>{' '}
            <bdi class="small muted">{detailOf(userPrincipal(owner))}</bdi>{' '}
            <span class="muted">{t('who.owner')}</span>
          </li>
        )}
        {members.map(({ principal, role }) => (
          <li key={principal}>
            <span>
              <bdi>{nameOf(principal)}</bdi> <bdi class="small muted">{detailOf(principal)}</bdi>{' '}
              {principal.startsWith('group:') && (
                <span class="small muted">{groupKind(names.isProvided(principal))}</span>
              )}
            </span>
            {isManager ? (
              <span class="row">
                <RoleChoice
                  name={nameOf(principal)}
                  role={role}
                  disabled={save.running}
                  onChoose={(chosen) => {
                    setRole(principal, chosen);
                  }}
                />
                <button
                  type="button"
                  class="small-button"
                  aria-label={`${t('who.takeBack')}: ${nameOf(principal)}`}
                  disabled={save.running}
                  onClick={() => {
                    setRole(principal, null);
                  }}
                >
                  {t('who.takeBack')}
                </button>
              </span>
            ) : (
              <span class="muted">{t(`who.${role}`)}</span>
            )}
          </li>
        ))}
      </ul>
      <p class="small muted">{t('who.administrators')}</p>
      {isManager && (
        <>
          <FindPrincipals
            isKnown={(principal) =>
              principal === userPrincipal(owner ?? '') || members.some((one) => one.principal === principal)
            }
            disabled={save.running}
            onAdd={setRole}
          />
          <Shortcuts
            subject={subject}
            members={members}
            hasFolder={folder !== null}
            disabled={save.running}
            onChange={(lists) => void change(lists)}
          />
          <p class="small muted" role="status">
            {save.running ? t('action.working') : save.value === true && t('who.saved')}
          </p>
          <ErrorNotice error={save.error} />
        </>
      )}
    </div>
  );
}

interface RoleChoiceProps {
  readonly name: string;
  readonly role: Role;
  readonly disabled: boolean;
  readonly onChoose: (role: Role) => void;
}

function RoleChoice({ name, role, disabled, onChoose }: RoleChoiceProps): JSX.Element {
  return (
    <select
      aria-label={t('who.roleOf', { name })}
      value={role}
      disabled={disabled}
      onChange={(event) => {
        const { value } = event.currentTarget;
        onChoose(ROLES.find((one) => one === value) ?? role);
      }}
    >
      {ROLES.map((one) => (
        <option key={one} value={one}>
          {t(`who.${one}`)}
        </option>
      ))}
    </select>
  );
}

interface ShortcutsProps {
  readonly subject: Subject;
  readonly members: readonly Member[];
  readonly hasFolder: boolean;
  readonly disabled: boolean;
  readonly onChange: (lists: AccessLists | null) => void;
}

function Shortcuts({ subject, members, hasFolder, disabled, onChange }: ShortcutsProps): JSX.Element {
  const { holder } = useSession();
  const { owner, source } = subject;
  const isForAll = members.some(({ principal }) => principal === EVERYONE);
  return (
    <div class="row">
      {!isForAll && (
        <button
          type="button"
          class="small-button"
          disabled={disabled}
          onClick={() => {
            onChange(listsOf(withRole(members, EVERYONE, 'reader')));
          }}
        >
          {t('who.shareWithAll')}
        </button>
      )}
      {members.length > 0 && (
        <button
          type="button"
          class="small-button"
          disabled={disabled}
          onClick={() => {
            onChange(listsOf(withKeeper([], owner, holder.person)));
          }}
        >
          {t('who.makePrivate')}
        </button>
      )}
      {source === 'own' && hasFolder && (
        <button
          type="button"
          class="small-button"
          disabled={disabled}
          onClick={() => {
            onChange(null);
          }}
        >
          {t('who.asFolder')}
        </button>
      )}
    </div>
  );
}

/** Names shown in a summary; the others are counted. */
const NAMED = 3;

/** Says in a few words who can see it. */
export function useWhoInWords(subject: Subject): string {
  const nameOf = useWhoNames(subject);
  const members = membersOf(subject);
  if (members.some(({ principal }) => principal === EVERYONE)) return t('who.everybody');
  const { owner } = subject;
  const names = [
    ...(owner === null ? [] : [userPrincipal(owner)]),
    ...members.map(({ principal }) => principal),
  ].map(nameOf);
  const [first] = names;
  if (first === undefined) return t('who.onlyAdministrators');
  if (names.length === 1) return t('who.only', { name: first });
  if (names.length <= NAMED) return listText(names);
  return t('who.more', { names: openListText(names.slice(0, NAMED)), count: names.length - NAMED });
}

/** Returns a function for the names of those who can see it. */
function useWhoNames(subject: Subject): (principal: string) => string {
  const { holder } = useSession();
  const { owner } = subject;
  const principals = membersOf(subject).map(({ principal }) => principal);
  const nameOf = useNames(
    [...(owner === null ? [] : [userPrincipal(owner)]), ...principals].filter((one) => one !== EVERYONE),
  );
  return (principal) => {
    if (principal === EVERYONE) return t('who.everybody');
    const name = nameOf(principal);
    return principal === userPrincipal(holder.person ?? '') ? t('who.you', { name }) : name;
  };
}
