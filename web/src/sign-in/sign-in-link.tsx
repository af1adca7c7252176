import { useEffect, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Invitation, SessionInfo } from '../api/lectern.js';
import { clientWith } from '../app/session.js';
import { ErrorNotice } from '../design/notices.js';
import { Icon } from '../design/icon.js';
import { moment } from '../documents/record.js';
import { accessOf } from '../people/describe.js';

interface SignInLinkProps {
  readonly code: string;
  readonly onSession: (opened: SessionInfo) => void;
  readonly onLeave: () => void;
}

/**
 * Signs in with the code of a link, which works once. Shows whose account it opens, and waits for a click, because mail
 * programs that check messages open links too.
 */
export function SignInLink({ code, onSession, onLeave }: SignInLinkProps): JSX.Element {
  const [stay, setStay] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [invitation, setInvitation] = useState<Invitation | null>(null);
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    clientWith(null)
      .keys.invitation(code, { signal })
      .then(setInvitation, (failure: unknown) => {
        if (!signal.aborted) setError(failure);
      });
    return () => {
      leaving.abort();
    };
  }, [code]);
  const enter = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      onSession(await clientWith(null).session.open(code, stay));
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <main class="sign-in">
      <form class="card" onSubmit={(event) => void enter(event)}>
        <h1>
          <Icon name="lectern" /> Lectern
        </h1>
        <p>Somebody invited you to ask questions about their documents. The invitation works once.</p>
        {invitation !== null && <p>{describe(invitation)}</p>}
        <p class="small muted">Administrators of this service can read your chats and your documents.</p>
        <label class="check">
          <input
            type="checkbox"
            checked={stay}
            onChange={(event) => {
              setStay(event.currentTarget.checked);
            }}
          />
          Keep me signed in on this computer
        </label>
        <ErrorNotice error={error} />
        {error !== null && <p class="small muted">Ask for a new link, or sign in with an API key.</p>}
        <button type="submit" class="primary" disabled={busy} autofocus>
          {busy ? 'Signing in…' : 'Sign in'}
        </button>
        <button type="button" class="link" onClick={onLeave}>
          Not now
        </button>
      </form>
    </main>
  );
}

/** Says whose account the link opens, and until when. */
function describe({ name, end_user_id: person, scopes, expires_at: until }: Invitation): JSX.Element {
  return (
    <>
      It opens the account of <strong>{name}</strong> ({person ?? 'an application'} ·{' '}
      {accessOf({ scopes, end_user_id: person })}), and lasts until {moment(until)}.
    </>
  );
}
