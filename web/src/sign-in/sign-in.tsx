import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { LecternError } from '../api/lectern.js';
import { KEY_REFUSED } from '../app/calls.js';
import { clientWith, providerName } from '../app/session.js';
import { ErrorNotice } from '../design/notices.js';
import { Icon } from '../design/icon.js';
import { leaveForProvider } from './provider.js';

interface SignInProps {
  /** Reason why a user who was signed in must sign in again; null: the user was not signed in. */
  readonly reason: string | null;
  readonly onKey: (key: string, stay: boolean) => void;
}

/** Asks for an API key and verifies it. */
export function SignIn({ reason, onKey }: SignInProps): JSX.Element {
  const [key, setKey] = useState('');
  const [stay, setStay] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(reason === null ? null : new Error(reason));
  const enter = async (event: Event): Promise<void> => {
    event.preventDefault();
    const given = key.trim();
    if (given === '') {
      setError(new Error('Enter an API key.'));
      return;
    }
    setBusy(true);
    setError(null);
    try {
      if (await isKnown(given)) onKey(given, stay);
      else setError(new Error(KEY_REFUSED));
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  };
  return (
    <main class="sign-in">
      <form class="card" onSubmit={(event) => void enter(event)} noValidate>
        <h1>
          <Icon name="lectern" /> Lectern
        </h1>
        <p class="muted">Add documents, search passages, ask questions and see the sources of the answers.</p>
        {providerName !== null && (
          <>
            <a class="button primary" href="/session/start" onClick={leaveForProvider}>
              Sign in with {providerName}
            </a>
            <p class="small muted">Or with a key:</p>
          </>
        )}
        <label>
          API key
          <input
            type="password"
            name="key"
            autocomplete="current-password"
            spellcheck={false}
            autofocus={providerName === null}
            required
            value={key}
            aria-describedby="key-hint"
            onInput={(event) => {
              setKey(event.currentTarget.value);
            }}
          />
        </label>
        <p id="key-hint" class="small muted">
          Whoever runs this service gives you a key or a link. Operators find the first key in{' '}
          <code>data/api-key</code>.
        </p>
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
        <button type="submit" class={providerName === null ? 'primary' : ''} disabled={busy}>
          {busy ? 'Signing in…' : 'Sign in'}
        </button>
        <p class="small muted">The key stays in this browser and is sent to this service only.</p>
      </form>
    </main>
  );
}

/** Whether the service knows the key. A valid key may lack the permission for the request (403). */
async function isKnown(key: string): Promise<boolean> {
  if (!/^[\x21-\x7e]+$/.test(key)) return false; // a header cannot contain such a key
  try {
    await clientWith(key).folders.list();
    return true;
  } catch (error) {
    if (!(error instanceof LecternError)) throw error;
    if (error.status === 401) return false;
    if (error.status === 403) return true;
    throw error;
  }
}
