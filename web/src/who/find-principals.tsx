import { useEffect, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { NamedPrincipal } from '../api/lectern.js';
import { useLoaded } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { ErrorNotice } from '../design/notices.js';
import { t } from '../language/translate.js';
import { groupKind } from './group-kind.js';
import type { Role } from './lists.js';
import { personIn } from '../names/principal.js';

/** Delay before a search while typing. */
const TYPING_DELAY_MS = 200;
/** People and groups that are shown for a part of a name. */
const SHOWN = 10;

interface FindPrincipalsProps {
  /** Whether a person or group is on the list already. */
  readonly isKnown: (principal: string) => boolean;
  readonly disabled: boolean;
  readonly onAdd: (principal: string, role: Role) => void;
}

/** Finds people and groups by name, to add them as readers or writers. */
export function FindPrincipals({ isKnown, disabled, onAdd }: FindPrincipalsProps): JSX.Element {
  const { client, names } = useSession();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [asked, setAsked] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => {
      setAsked(text.trim());
    }, TYPING_DELAY_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [text]);
  const found = useLoaded(
    async (signal) => {
      const principals: readonly NamedPrincipal[] =
        asked === '' ? [] : await client.people.search(asked, { signal, limit: SHOWN + 1 });
      names.learn(principals);
      return { asked, principals };
    },
    [asked],
  );
  const list = text.trim() !== '' && found.value?.asked === asked ? found.value : null;
  const others = list?.principals.slice(0, SHOWN).filter(({ id }) => !isKnown(id)) ?? [];
  const hasMore = list !== null && list.principals.length > SHOWN;
  const add = (principal: string, role: Role): void => {
    setText('');
    field.current?.focus(); // the button disappears with the list
    onAdd(principal, role);
  };
  return (
    <div class="who-find">
      <label>
        {t('who.find')}
        <input
          ref={field}
          type="search"
          dir="auto"
          autocomplete="off"
          spellcheck={false}
          maxLength={200}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
          }}
        />
      </label>
      <ErrorNotice error={found.error} />
      <ul class="plain">
        {others.map(({ id, name, detail, provided }) => (
          <li key={id}>
            <span>
              <bdi>{name}</bdi> <bdi class="small muted">{detail ?? personIn(id) ?? groupKind(provided)}</bdi>
            </span>
            <span class="row">
              {(['reader', 'writer'] as const).map((role) => (
                <button
                  key={role}
                  type="button"
                  class="small-button"
                  disabled={disabled}
                  aria-label={`${t(ADD[role])}: ${name}`}
                  onClick={() => {
                    add(id, role);
                  }}
                >
                  {t(ADD[role])}
                </button>
              ))}
            </span>
          </li>
        ))}
      </ul>
      <p class="small muted" role="status">
        {list !== null && list.asked !== '' && others.length === 0 && !hasMore && t('who.noMatch')}
        {hasMore && t('who.moreFound')}
      </p>
    </div>
  );
}

const ADD = { reader: 'who.addReader', writer: 'who.addWriter' } as const;
