import { useEffect, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { ChatTurn, QueryRequest } from '../api/lectern.js';
import { useCall, useLoaded } from '../app/calls.js';
import { goTo, hrefOf } from '../app/router.js';
import { useSession } from '../app/session.js';
import { AnswerText } from '../ask/answer-text.js';
import { queryRequest, type Answer } from '../ask/answer.js';
import { Sources } from '../ask/sources.js';
import { useAnswer } from '../ask/use-answer.js';
import { Icon } from '../design/icon.js';
import { Busy, EmptyState, ErrorNotice } from '../design/notices.js';
import { RequestCode } from '../requests/request-code.js';
import { QuestionInput } from '../search/question-input.js';

interface ConversationProps {
  readonly id: string;
  readonly title: string | null;
  /** Whether the service has it; a new one comes into being with its first answer. */
  readonly isKnown: boolean;
  /** Whether the list of chats has come, which says so. */
  readonly isListed: boolean;
  readonly onChange: () => void;
}

/** A turn as it is shown; answers of this visit have their citations and sources. */
interface Turn {
  readonly role: ChatTurn['role'];
  readonly text: string;
  readonly answer: Answer | null;
}

export function Conversation({ id, title, isKnown, isListed, onChange }: ConversationProps): JSX.Element {
  const { client } = useSession();
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [text, setText] = useState('');
  const [question, setQuestion] = useState<string | null>(null);
  const asking = useAnswer();
  const end = useRef<HTMLDivElement>(null);
  const earlier = useLoaded(
    async (signal) => {
      if (!isListed || !isKnown || turns.length > 0) return;
      const messages = await client.chats.messages(id, { signal });
      setTurns(messages.map(({ role, content }) => ({ role, text: content, answer: null })));
    },
    [id, isListed, isKnown],
  );
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'nearest' });
  }, [turns, asking.answer.text]);

  const request: QueryRequest = { query: text.trim(), chat_id: id, inline_citations: true };
  const send = async (): Promise<void> => {
    const asked = text.trim();
    setQuestion(asked);
    setText('');
    const answer = await asking.ask(request);
    if (answer !== null) {
      setTurns((before) => [
        ...before,
        { role: 'user', text: asked, answer: null },
        { role: 'assistant', text: answer.text, answer },
      ]);
      onChange();
    } else setText(asked); // nothing was stored
    setQuestion(null);
  };
  return (
    <section aria-label="Conversation" class="conversation card">
      <div class="conversation-head row spread">
        <a class="icon-button back" href={hrefOf('chats')} aria-label="Back to the list of chats">
          <Icon name="back" />
        </a>
        <h2>{title ?? 'New chat'}</h2>
        {isKnown && <Changes id={id} title={title ?? ''} onChange={onChange} />}
      </div>
      <div class="turns">
        {turns.length === 0 && question === null && !earlier.running && (
          <EmptyState title="What do you want to know?">
            Ask below; the chat is kept with its first answer.
          </EmptyState>
        )}
        {earlier.running && isKnown && <Busy>Loading the conversation…</Busy>}
        <ErrorNotice error={earlier.error} onRetry={earlier.reload} />
        {turns.map((turn, index) => (
          <TurnView key={index} turn={turn} question={turns[index - 1]?.text ?? ''} />
        ))}
        {question !== null && (
          <>
            <div class="turn user">{question}</div>
            <div class="turn assistant" aria-live="polite" aria-busy={asking.running}>
              {asking.answer.text === '' ? (
                <Busy>Looking for passages…</Busy>
              ) : (
                <AnswerText answer={asking.answer} />
              )}
            </div>
          </>
        )}
        <ErrorNotice error={asking.error} />
        <div ref={end} />
      </div>
      <div class="composer">
        <QuestionInput
          label="Message"
          placeholder="Ask, and ask again"
          text={text}
          onText={setText}
          image={null}
          action="Send"
          running={asking.running}
          onSend={() => void send()}
          onStop={asking.stop}
          focus={id}
        />
        {text.trim() !== '' && <RequestCode title="This message" requests={[queryRequest(request)]} />}
      </div>
    </section>
  );
}

function TurnView({ turn, question }: { readonly turn: Turn; readonly question: string }): JSX.Element {
  const { role, text, answer } = turn;
  if (role === 'user') return <div class="turn user">{text}</div>;
  return (
    <div class="turn assistant">
      <AnswerText answer={answer ?? { text, end: null }} />
      {answer?.end !== null && answer?.end !== undefined && (
        <Sources sources={answer.end.sources} question={question} pages={false} />
      )}
    </div>
  );
}

interface ChangesProps {
  readonly id: string;
  readonly title: string;
  readonly onChange: () => void;
}

function Changes({ id, title, onChange }: ChangesProps): JSX.Element {
  const { client } = useSession();
  const naming = useRef<HTMLDialogElement>(null);
  const deleting = useRef<HTMLDialogElement>(null);
  const [name, setName] = useState(title);
  const rename = useCall((signal) => client.chats.rename(id, name.trim(), { signal }));
  const remove = useCall((signal) => client.chats.delete(id, { signal }));
  return (
    <span class="row">
      <button
        type="button"
        class="small-button"
        onClick={() => {
          setName(title);
          naming.current?.showModal();
        }}
      >
        Rename
      </button>
      <button type="button" class="small-button" onClick={() => deleting.current?.showModal()}>
        Delete
      </button>
      <dialog ref={naming} aria-labelledby="rename-title">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void rename.run().then((done) => {
              if (done === null) return;
              naming.current?.close();
              onChange();
            });
          }}
        >
          <h2 id="rename-title">Rename this chat</h2>
          <label>
            Title
            <input
              maxLength={256}
              value={name}
              onInput={(event) => {
                setName(event.currentTarget.value);
              }}
            />
          </label>
          <ErrorNotice error={rename.error} />
          <div class="row end">
            <button type="button" onClick={() => naming.current?.close()}>
              Cancel
            </button>
            <button type="submit" class="primary" disabled={name.trim() === '' || rename.running}>
              Rename
            </button>
          </div>
        </form>
      </dialog>
      <dialog ref={deleting} aria-labelledby="delete-chat-title">
        <h2 id="delete-chat-title">Delete this chat?</h2>
        <p>Its messages go with it. Documents stay.</p>
        <ErrorNotice error={remove.error} />
        <div class="row end">
          <button type="button" onClick={() => deleting.current?.close()}>
            Cancel
          </button>
          <button
            type="button"
            class="danger"
            disabled={remove.running}
            onClick={() => {
              void remove.run().then((done) => {
                if (done === null) return;
                goTo(hrefOf('chats'));
                onChange();
              });
            }}
          >
            Delete
          </button>
        </div>
      </dialog>
    </span>
  );
}
