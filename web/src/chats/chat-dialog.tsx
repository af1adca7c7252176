import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Chat } from '../api/lectern.js';
import { useCall } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { download } from '../design/download.js';
import { Icon } from '../design/icon.js';
import { ErrorNotice } from '../design/notices.js';
import { useChatList } from './chat-list.js';
import { chatMarkdown } from './chat-markdown.js';
import type { ChatOwner } from './owner.js';

interface ChatDialogProps {
  readonly chat: Chat;
  readonly owner: ChatOwner;
  readonly onChange: () => void;
  /** Called when the chat is removed from the list. */
  readonly onRemoved: () => void;
}

/** Renames, exports or deletes a chat. */
export function ChatDialog({ chat, owner, onChange, onRemoved }: ChatDialogProps): JSX.Element {
  const { client } = useSession();
  const { remove } = useChatList();
  const { chat_id: id, title } = chat;
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const [isOpen, setIsOpen] = useState(false);
  const [name, setName] = useState(title);
  const [isSure, setIsSure] = useState(false);
  const rename = useCall((signal) => client.chats.rename(id, name.trim(), { ...owner, signal }));
  const read = useCall((signal) => client.chats.messages(id, { ...owner, signal }));
  const exportIt = async (): Promise<void> => {
    const turns = await read.run();
    if (turns !== null) download(`${fileName(title)}.md`, 'text/markdown', chatMarkdown(title, turns));
  };
  const open = (): void => {
    setName(title);
    setIsSure(false);
    setIsOpen(true);
  };
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    if ((await rename.run()) === null) return;
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
        aria-label={`Rename, export or delete “${title}”`}
        title="Rename, export or delete"
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
            <h2 id={titleId}>Rename, export or delete this chat</h2>
            <label>
              Title
              <input
                type="text"
                maxLength={256}
                value={name}
                onInput={(event) => {
                  setName(event.currentTarget.value);
                }}
              />
            </label>
            {isSure && (
              <p class="small problem-text" role="alert">
                Its messages and their feedback are deleted too. Documents are kept.
              </p>
            )}
            <ErrorNotice error={rename.error ?? read.error} />
            <p>
              <button type="button" disabled={read.running} onClick={() => void exportIt()}>
                Download as Markdown
              </button>
            </p>
            <div class="row spread">
              <button type="button" class="danger" onClick={deleteIt}>
                {isSure ? 'Delete for good' : 'Delete'}
              </button>
              <span class="row">
                <button type="button" onClick={() => dialog.current?.close()}>
                  Cancel
                </button>
                <button type="submit" class="primary" disabled={name.trim() === '' || rename.running}>
                  Rename
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
      .slice(0, 80) || 'chat'
  );
}
