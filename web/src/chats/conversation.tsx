import { useEffect, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { LecternError, type ChatTurn, type QueryRequest } from '../api/lectern.js';
import { useCall, useLoaded } from '../app/calls.js';
import { useKept } from '../app/kept.js';
import { goTo, hrefOf } from '../app/router.js';
import { useSession } from '../app/session.js';
import { AnswerText } from '../ask/answer-text.js';
import { citationsIn, queryRequest, type Answer } from '../ask/answer.js';
import { Sources } from '../ask/sources.js';
import { useAnswer } from '../ask/use-answer.js';
import { Icon } from '../design/icon.js';
import { Busy, EmptyState, ErrorNotice } from '../design/notices.js';
import { RequestCode } from '../requests/request-code.js';
import { QuestionInput } from '../search/question-input.js';

interface ConversationProps {
  readonly id: string;
  readonly title: string | null;
  /** The end user that the chat belongs to. */
  readonly owner: string | null;
  /** Whether the service has stored the chat; a new one is stored with its first answer. */
  readonly isKnown: boolean;
  /** Whether the list of chats has loaded, which sets `isKnown`. */
  readonly isListed: boolean;
  readonly onChange: () => void;
}

/** A displayed turn; an answer has its citations and sources. */
interface Turn {
  readonly role: ChatTurn['role'];
  readonly text: string;
  readonly answer: Answer | null;
}

export function Conversation(props: ConversationProps): JSX.Element {
  const { id, title, owner, isKnown, isListed, onChange } = props;
  const { client, holder } = useSession();
  // An administrator can read the chats of others, but not continue them.
  const isForeign = owner !== null && owner !== holder.person;
  const named = owner === null ? {} : { end_user_id: owner };
  const [turns, setTurns] = useKept<readonly Turn[]>(`chat ${id}`, []);
  const [text, setText] = useKept(`chat ${id} text`, '');
  const [question, setQuestion] = useState<string | null>(null);
  // The service stores a question with its complete answer only; a user who leaves earlier finds the question
  // again.
  const [unanswered, setUnanswered] = useKept<string | null>(`chat ${id} unanswered`, null);
  const [gone, setGone] = useState(false);
  const asking = useAnswer();
  const end = useRef<HTMLDivElement>(null);
  const giveBack = (asked: string): void => {
    setText((typed) => (typed === '' ? asked : typed));
  };
  useEffect(() => {
    if (unanswered !== null) giveBack(unanswered);
  }, []);
  const earlier = useLoaded(
    async (signal) => {
      if (!isListed || (!isKnown && turns.length === 0)) return; // the chat is new
      try {
        const stored = await client.chats.messages(id, { ...named, signal });
        setTurns((before) => (before === turns ? withAnswers(stored, before) : before)); // unless an answer arrived meanwhile
        // The answer may have completed while the user left.
        if (stored.length > turns.length && stored.at(-2)?.content === unanswered) {
          setUnanswered(null);
          setText((typed) => (typed === unanswered ? '' : typed));
        }
      } catch (error) {
        if (!(error instanceof LecternError) || error.status !== 404) throw error;
        setTurns([]);
        setGone(true);
      }
    },
    [id, owner, isListed, isKnown],
  );
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'nearest' });
  }, [turns, asking.answer.text, question]);

  const request: QueryRequest = { query: text.trim(), chat_id: id, inline_citations: true };
  const send = async (): Promise<void> => {
    const asked = text.trim();
    setQuestion(asked);
    setUnanswered(asked);
    setText('');
    const answer = await asking.ask(request);
    if (answer !== null) {
      setTurns((before) => [
        ...before,
        { role: 'user', text: asked, answer: null },
        { role: 'assistant', text: answer.text, answer },
      ]);
      setUnanswered(null);
      onChange();
    } else giveBack(asked);
    setQuestion(null);
  };
  const shown = question ?? unanswered;
  if (gone) return <Gone />;
  return (
    <section aria-label="Conversation" class="conversation card">
      <div class="conversation-head row spread">
        <a class="icon-button back" href={hrefOf('chats')} aria-label="Back to the list of chats">
          <Icon name="back" />
        </a>
        <h2>{title ?? 'New chat'}</h2>
        {isKnown && <Changes id={id} title={title ?? ''} named={named} onChange={onChange} />}
      </div>
      <div class="turns">
        {turns.length === 0 && shown === null && !earlier.running && (
          <EmptyState title="What do you want to know?">
            Ask below; the chat is kept with its first answer.
          </EmptyState>
        )}
        {earlier.running && isKnown && turns.length === 0 && <Busy>Loading the conversation…</Busy>}
        <ErrorNotice error={earlier.error} onRetry={earlier.reload} />
        {turns.map((turn, index) => (
          <TurnView key={index} turn={turn} question={turns[index - 1]?.text ?? ''} />
        ))}
        {shown !== null && (
          <>
            <div class="turn user">{shown}</div>
            <div class="turn assistant" aria-live="polite" aria-busy={asking.running}>
              {asking.answer.text !== '' && <AnswerText answer={asking.answer} />}
              {question !== null && asking.answer.text === '' && <Busy>Looking for passages…</Busy>}
              {question === null && (
                <p class="small muted">
                  No whole answer came, and the chat keeps nothing of this. Ask again below.
                </p>
              )}
            </div>
          </>
        )}
        <ErrorNotice error={asking.error} />
        <div ref={end} />
      </div>
      {isForeign ? (
        <p class="composer small muted">
          This chat belongs to {owner}. You can read it, and not continue it.
        </p>
      ) : (
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
      )}
    </section>
  );
}

/** Returns the stored turns; answers of this visit keep what only the stream had. */
function withAnswers(stored: readonly ChatTurn[], before: readonly Turn[]): Turn[] {
  return stored.map(({ role, content: text, citations, sources }, index) => {
    const same = [before[index], ...before].find((turn) => turn?.answer != null && turn.text === text);
    const kept = sources === undefined ? null : { text, end: { citations: citationsIn(citations), sources } };
    return { role, text, answer: same?.answer ?? kept };
  });
}

function Gone(): JSX.Element {
  return (
    <section aria-label="Conversation" class="conversation card">
      <EmptyState title="This chat was deleted">
        Its messages are gone. The <a href={hrefOf('chats')}>list of chats</a> has the others.
      </EmptyState>
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
        <Sources sources={answer.end.sources} question={question} />
      )}
    </div>
  );
}

interface ChangesProps {
  readonly id: string;
  readonly title: string;
  readonly named: { readonly end_user_id?: string };
  readonly onChange: () => void;
}

function Changes({ id, title, named, onChange }: ChangesProps): JSX.Element {
  const { client } = useSession();
  const naming = useRef<HTMLDialogElement>(null);
  const deleting = useRef<HTMLDialogElement>(null);
  const [name, setName] = useState(title);
  const rename = useCall((signal) => client.chats.rename(id, name.trim(), { ...named, signal }));
  const remove = useCall((signal) => client.chats.delete(id, { ...named, signal }));
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
        <p>Its messages are deleted too. Documents are kept.</p>
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
