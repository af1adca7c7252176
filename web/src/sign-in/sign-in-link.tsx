import { useEffect, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Invitation, SessionInfo } from '../api/lectern.js';
import { clientWith } from '../app/session.js';
import { ErrorNotice } from '../design/notices.js';
import { Icon } from '../design/icon.js';
import { moment } from '../documents/record.js';
import { accessOf } from '../people/describe.js';
import { rich, t } from '../language/translate.js';
import { StayField } from './stay-field.js';

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
        <p>{t('signIn.invited')}</p>
        {invitation !== null && <p>{describe(invitation)}</p>}
        <p class="small muted">{t('signIn.readable')}</p>
        <StayField stay={stay} onStay={setStay} />
        <ErrorNotice error={error} />
        {error !== null && <p class="small muted">{t('signIn.newLink')}</p>}
        <button type="submit" class="primary" disabled={busy} autofocus>
          {busy ? t('signIn.signingIn') : t('signIn.signIn')}
        </button>
        <button type="button" class="link" onClick={onLeave}>
          {t('signIn.notNow')}
        </button>
      </form>
    </main>
  );
}

/** Says whose account the link opens, and until when. */
function describe({ name, end_user_id: person, scopes, expires_at: until }: Invitation): JSX.Element {
  return (
    <>
      {rich('signIn.opens', {
        b: (parts) => <strong>{parts}</strong>,
        name,
        who: person ?? t('chats.application'),
        access: accessOf({ scopes, end_user_id: person }),
        until: moment(until),
      })}
    </>
  );
}
