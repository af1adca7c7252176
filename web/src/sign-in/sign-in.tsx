import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { LecternError } from '../api/lectern.js';
import { KEY_REFUSED } from '../app/calls.js';
import { clientWith, providerName } from '../app/session.js';
import { ErrorNotice } from '../design/notices.js';
import { Icon } from '../design/icon.js';
import { leaveForProvider } from './provider.js';
import { StayField } from './stay-field.js';
import { rich, t } from '../language/translate.js';
import { PageError } from '../design/page-error.js';
import { LanguageChoice } from '../app/language-choice.js';
import type { Key } from '../language/words.js';

interface SignInProps {
  /** Reason why a user who was signed in must sign in again; null: the user was not signed in. */
  readonly reason: Key | null;
  readonly onKey: (key: string, stay: boolean) => void;
}

/** Asks for an API key and verifies it. */
export function SignIn({ reason, onKey }: SignInProps): JSX.Element {
  const [key, setKey] = useState('');
  const [stay, setStay] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(reason === null ? null : new PageError(reason));
  const enter = async (event: Event): Promise<void> => {
    event.preventDefault();
    const given = key.trim();
    if (given === '') {
      setError(new PageError('signIn.enterKey'));
      return;
    }
    setBusy(true);
    setError(null);
    try {
      if (await isKnown(given)) onKey(given, stay);
      else setError(new PageError(KEY_REFUSED));
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
        <p class="muted">{t('signIn.lead')}</p>
        {providerName !== null && (
          <>
            <a class="button primary" href="/session/start" onClick={leaveForProvider}>
              {t('signIn.with', { provider: providerName })}
            </a>
            <p class="small muted">{t('signIn.orKey')}</p>
          </>
        )}
        <label>
          {t('signIn.key')}
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
          {rich('signIn.keyHint', { code: (parts) => <code>{parts}</code> })}
        </p>
        <StayField stay={stay} onStay={setStay} />
        <ErrorNotice error={error} />
        <button type="submit" class={providerName === null ? 'primary' : ''} disabled={busy}>
          {busy ? t('signIn.signingIn') : t('signIn.signIn')}
        </button>
        <p class="small muted">{t('signIn.keyStays')}</p>
      </form>
      <LanguageChoice />
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
