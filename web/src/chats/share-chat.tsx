import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Chat, ChatSharing } from '../api/lectern.js';
import { useCall } from '../app/calls.js';
import { hrefOf } from '../app/router.js';
import { useSession } from '../app/session.js';
import { CopyButton } from '../design/copy-button.js';
import { ErrorNotice } from '../design/notices.js';
import { moment } from '../documents/record.js';
import { t } from '../language/translate.js';

const DAY = 86_400;

/** Lifetimes of a link in seconds; null: until it is ended. */
const LIFETIMES = {
  forever: null,
  forDay: DAY,
  forWeek: 7 * DAY,
  forMonth: 30 * DAY,
} as const;
type Lifetime = keyof typeof LIFETIMES;

interface ShareChatProps {
  readonly chat: Chat;
  readonly onChange: () => void;
  /** Class of the button that opens the dialog. */
  readonly buttonClass?: string;
}

/** Shares an own chat by a link, shows the link again, and ends it. */
export function ShareChat({ chat, onChange, buttonClass }: ShareChatProps): JSX.Element {
  const { client } = useSession();
  const { chat_id: id } = chat;
  const dialog = useRef<HTMLDialogElement>(null);
  const first = useRef<HTMLButtonElement>(null);
  const titleId = useId();
  const [isOpen, setOpen] = useState(false);
  const [link, setLink] = useState(chat.link);
  const [lifetime, setLifetime] = useState<Lifetime>('forever');
  useEffect(() => {
    setLink(chat.link);
  }, [chat.link?.link_id]);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  const make = useCall((signal) => {
    const seconds = LIFETIMES[lifetime];
    return client.chats.share(id, { ...(seconds === null ? {} : { expires_in: seconds }), signal });
  });
  const sharing = useCall((signal) => client.chats.sharing(id, { signal }));
  const end = useCall(async (signal) => {
    await client.chats.unshare(id, { signal });
    return true;
  });
  const changeTo = (changed: Chat['link']): void => {
    setLink(changed);
    first.current?.focus(); // the button disappears
    onChange();
  };
  const url = link === null ? '' : `${location.origin}/${hrefOf('shared', link.link_id)}`;
  return (
    <>
      <button
        type="button"
        class={buttonClass}
        onClick={() => {
          setOpen(true);
          void sharing.run();
        }}
      >
        {t('chatLink.share')}
      </button>
      <dialog
        ref={dialog}
        aria-labelledby={titleId}
        onClose={() => {
          setOpen(false);
        }}
      >
        {isOpen && (
          <div class="share-chat">
            <h2 id={titleId}>{t('chatLink.title')}</h2>
            <p>{t('chatLink.means')}</p>
            <p>{t('chatLink.withheld')}</p>
            <Shown sharing={sharing.value} />
            {link === null ? (
              <label>
                {t('chatLink.lifetime')}
                <select
                  value={lifetime}
                  onChange={(event) => {
                    setLifetime(event.currentTarget.value as Lifetime);
                  }}
                >
                  {(Object.keys(LIFETIMES) as Lifetime[]).map((one) => (
                    <option key={one} value={one}>
                      {t(`chatLink.${one}`)}
                    </option>
                  ))}
                </select>
              </label>
            ) : (
              <>
                <p class="row">
                  <code class="shared-link">{url}</code>
                  <CopyButton text={url} label={t('devices.copyLink')} />
                </p>
                <p class="small muted">
                  {link.expires_at === null
                    ? t('chatLink.untilEnded')
                    : t('chatLink.until', { until: moment(link.expires_at) })}
                </p>
              </>
            )}
            <p class="small muted" role="status">
              {link === null && end.value === true && t('chatLink.ended')}
            </p>
            <ErrorNotice error={make.error ?? end.error ?? sharing.error} />
            <div class="row end">
              <button ref={first} type="button" onClick={() => dialog.current?.close()}>
                {t('action.close')}
              </button>
              {link === null ? (
                <button
                  type="button"
                  class="primary"
                  disabled={make.running}
                  onClick={() => void make.run().then((made) => made !== null && changeTo(made))}
                >
                  {t('chatLink.make')}
                </button>
              ) : (
                <button
                  type="button"
                  class="danger"
                  disabled={end.running}
                  onClick={() => void end.run().then((ended) => ended !== null && changeTo(null))}
                >
                  {t('chatLink.end')}
                </button>
              )}
            </div>
          </div>
        )}
      </dialog>
    </>
  );
}

/** Tells the owner of a chat how many of its answers others do not get, and for which documents. */
function Shown({ sharing }: { readonly sharing: ChatSharing | null }): JSX.Element | null {
  if (sharing === null || sharing.answer_count === 0) return null;
  const { answer_count: answers, withheld_count: count, hidden_documents: hidden } = sharing;
  if (count === 0) return <p role="status">{t('chatLink.allShown')}</p>;
  return (
    <div class="notice hint small" role="status">
      <p>{t('chatLink.someHidden', { count, answers })}</p>
      {hidden.length > 0 && (
        <>
          <p>{t('chatLink.hiddenDocuments')}</p>
          <ul class="hidden-documents" tabIndex={0}>
            {hidden.map(({ document_id: id, filename }) => (
              <li key={id} dir="auto">
                {filename ?? id}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
