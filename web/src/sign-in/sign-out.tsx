import { useRef } from 'preact/hooks';
import type { JSX } from 'preact';
import { useCall } from '../app/calls.js';
import { hrefOf } from '../app/router.js';
import { useSession } from '../app/session.js';
import { ErrorNotice } from '../design/notices.js';
import { Icon } from '../design/icon.js';
import { usePersonName } from '../names/named.js';
import { t } from '../language/translate.js';

/** Signs this browser out. Asks first if it is the last device of somebody who needs an invitation to come back. */
export function SignOut(): JSX.Element {
  const { client, holder, browser, signOut } = useSession();
  const asking = useRef<HTMLDialogElement>(null);
  const named = usePersonName(holder.name === null ? holder.person : null);
  const who = holder.name ?? named;
  const leave = useCall(async (signal) => {
    const { sign_out_url: elsewhere } = await client.session.end({ signal });
    signOut();
    if (elsewhere !== null) location.assign(elsewhere);
    return true;
  });
  const begin = useCall(async (signal) => {
    if (browser === null) {
      signOut();
      return true;
    }
    const isLast = !browser.returns_alone && (await client.session.devices({ signal })).length <= 1;
    if (isLast) asking.current?.showModal();
    else await leave.run();
    return true;
  });
  return (
    <>
      <button
        type="button"
        class="quiet"
        title={who === null ? t('signOut.signOut') : t('signOut.who', { person: who })}
        onClick={() => void begin.run()}
      >
        <Icon name="leave" />
        <span>
          {t('signOut.signOut')}
          {who !== null && (
            <>
              {' '}
              <bdi class="person-signed-in small">{who}</bdi>
            </>
          )}
        </span>
      </button>
      <dialog ref={asking} aria-labelledby="sign-out-title">
        <h2 id="sign-out-title">{t('signOut.last')}</h2>
        <p>{t('signOut.lastHint')}</p>
        <ErrorNotice error={begin.error ?? leave.error} />
        <div class="row end">
          <button type="button" onClick={() => asking.current?.close()}>
            {t('action.cancel')}
          </button>
          <a class="button" href={hrefOf('devices')} onClick={() => asking.current?.close()}>
            {t('devices.add')}
          </a>
          <button type="button" class="danger" disabled={leave.running} onClick={() => void leave.run()}>
            {t('signOut.signOut')}
          </button>
        </div>
      </dialog>
    </>
  );
}
