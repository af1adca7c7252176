import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Chat } from '../api/lectern.js';
import { useCall } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { downloadText } from '../design/download.js';
import { Icon } from '../design/icon.js';
import { ErrorNotice } from '../design/notices.js';
import { foldersOf, useChatList } from './chat-list.js';
import { chatMarkdown } from './chat-markdown.js';
import { isOwn, type ChatOwner } from './owner.js';
import { ShareChat } from './share-chat.js';
import { t } from '../language/translate.js';

interface ChatDialogProps {
  readonly chat: Chat;
  readonly owner: ChatOwner;
  readonly onChange: () => void;
  /** Called when the chat is removed from the list. */
  readonly onRemoved: () => void;
  /** Unset: the chat is not shown. */
  readonly onPrint?: () => void;
}

/** Renames, pins, groups, exports or deletes a chat. */
export function ChatDialog({ chat, owner, onChange, onRemoved, onPrint }: ChatDialogProps): JSX.Element {
  const { client } = useSession();
  const { chats, remove } = useChatList();
  const { chat_id: id, title } = chat;
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const [isOpen, setIsOpen] = useState(false);
  const [name, setName] = useState(title);
  const [isSure, setIsSure] = useState(false);
  const [isPinned, setIsPinned] = useState(chat.pinned);
  const [folder, setFolder] = useState(chat.chat_folder ?? '');
  const change = useCall((signal) =>
    client.chats.change(
      id,
      { title: name.trim(), pinned: isPinned, chat_folder: folder.trim() === '' ? null : folder.trim() },
      { ...owner, signal },
    ),
  );
  const read = useCall((signal) => client.chats.messages(id, { ...owner, signal }));
  const exportIt = async (): Promise<void> => {
    const turns = await read.run();
    if (turns !== null) downloadText(`${fileName(title)}.md`, 'text/markdown', chatMarkdown(title, turns));
  };
  const open = (): void => {
    setName(title);
    setIsPinned(chat.pinned);
    setFolder(chat.chat_folder ?? '');
    setIsSure(false);
    setIsOpen(true);
  };
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    if ((await change.run()) === null) return;
    dialog.current?.close();
    onChange();
  };
  const deleteIt = (): void => {
    if (!isSure) {
      setIsSure(true);
      return;
    }
    dialog.current?.close();
    remove(chat);
    onRemoved();
  };
  return (
    <>
      <button
        type="button"
        class="icon-button"
        aria-label={t('chats.moreOf', { title })}
        title={t('chats.more')}
        onClick={open}
      >
        <Icon name="more" />
      </button>
      <dialog
        ref={dialog}
        aria-labelledby={titleId}
        onClose={() => {
          setIsOpen(false);
        }}
      >
        {isOpen && (
          <form onSubmit={(event) => void save(event)}>
            <h2 id={titleId}>{t('chats.change')}</h2>
            <label>
              {t('chats.title')}
              <input
                type="text"
                dir="auto"
                maxLength={256}
                value={name}
                onInput={(event) => {
                  setName(event.currentTarget.value);
                }}
              />
            </label>
            <label>
              {t('chats.folder')}
              <input
                type="text"
                dir="auto"
                maxLength={256}
                list={`${titleId} folders`}
                placeholder={t('chats.noFolder')}
                value={folder}
                onInput={(event) => {
                  setFolder(event.currentTarget.value);
                }}
              />
              <datalist id={`${titleId} folders`}>
                {foldersOf(chats ?? []).map((one) => (
                  <option key={one} value={one} />
                ))}
              </datalist>
            </label>
            <label class="check">
              <input
                type="checkbox"
                checked={isPinned}
                onChange={(event) => {
                  setIsPinned(event.currentTarget.checked);
                }}
              />
              {t('chats.pin')}
            </label>
            {isSure && (
              <p class="small problem-text" role="alert">
                {t('chats.deleteSure')}
              </p>
            )}
            <ErrorNotice error={change.error ?? read.error} />
            <div class="row chat-actions">
              <button type="button" disabled={read.running} onClick={() => void exportIt()}>
                {t('chats.download')}
              </button>
              {onPrint !== undefined && (
                <button
                  type="button"
                  onClick={() => {
                    dialog.current?.close();
                    onPrint();
                  }}
                >
                  {t('chats.print')}
                </button>
              )}
              {isOwn(owner) && <ShareChat chat={chat} onChange={onChange} />}
            </div>
            <div class="row spread">
              <button type="button" class="danger" onClick={deleteIt}>
                {isSure ? t('action.deleteForGood') : t('action.delete')}
              </button>
              <span class="row">
                <button type="button" onClick={() => dialog.current?.close()}>
                  {t('action.cancel')}
                </button>
                <button type="submit" class="primary" disabled={name.trim() === '' || change.running}>
                  {t('action.save')}
                </button>
              </span>
            </div>
          </form>
        )}
      </dialog>
    </>
  );
}

/** The title without characters that file systems refuse. */
function fileName(title: string): string {
  return (
    title
      .replaceAll(/[\\/:*?"<>|\p{Cc}]+/gu, ' ')
      .trim()
      .slice(0, 80) || t('chats.fileName')
  );
}
