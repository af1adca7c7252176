import { useEffect, useRef, useState } from 'preact/hooks';
import { LecternError, type Completion, type QueryRequest, type Rating } from '../api/lectern.js';
import { useLoaded } from '../app/calls.js';
import { useKept } from '../app/kept.js';
import { useSession } from '../app/session.js';
import type { Answer } from './answer.js';
import { exchangeOf, turnsOf, withBreak, type Turn } from './turn.js';
import { useAnswer } from './use-answer.js';

/** Tries to read a stopped answer from the service, which stores it when it notices the end of the connection. */
const TRIES = 10;
const TRY_EVERY_MS = 200;

interface ConversationInput {
  readonly id: string;
  readonly owner: string | null;
  /** Whether the service has stored the chat; a new one is stored with its first answer. */
  readonly isKnown: boolean;
  /** Whether the list of chats has loaded, which sets `isKnown`. */
  readonly isListed: boolean;
  readonly onStored: () => void;
}

interface Asked {
  readonly question: string;
  /** Index of the first turn that the question replaces. */
  readonly at: number;
}

export interface Conversation {
  readonly turns: readonly Turn[];
  /** The question that is being answered. */
  readonly asked: Asked | null;
  readonly answer: Answer;
  readonly sources: Completion['sources'] | undefined;
  readonly running: boolean;
  /** Error of the question. */
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly loadError: unknown;
  readonly reload: () => void;
  /** Whether the chat was deleted. */
  readonly isGone: boolean;
  /** @param at index of the first turn to replace; unset: the question is appended */
  readonly ask: (question: string, request: QueryRequest, at?: number) => Promise<boolean>;
  readonly stop: () => void;
  readonly onFeedback: (index: number, feedback: Rating | null) => void;
}

/** A chat: its stored turns, and the question that is being answered. */
export function useConversation(input: ConversationInput): Conversation {
  const { id, owner, isKnown, isListed, onStored } = input;
  const { client } = useSession();
  const named = owner === null ? {} : { end_user_id: owner };
  const [turns, setTurns] = useKept<readonly Turn[]>(`chat ${id}`, []);
  const [asked, setAsked] = useState<Asked | null>(null);
  // A user may leave while an answer is written; the service stores what it had.
  const [left, setLeft] = useKept<Asked | null>(`chat ${id} left`, null);
  const [isGone, setIsGone] = useState(false);
  const asking = useAnswer();
  const settling = useRef<Promise<void>>(Promise.resolve());
  const isStopped = useRef(false);
  const isLeft = useRef(false);
  /** Index of the question whose answer broke off: the service may not have stored it. */
  const broken = useRef<number | null>(null);

  const stored = async (signal?: AbortSignal): Promise<readonly Turn[]> => {
    const messages = await client.chats.messages(id, { ...named, ...(signal && { signal }) });
    return turnsOf(messages, turns);
  };
  /** Reads the turns as soon as the service has stored the exchange; null: it stored nothing. */
  const settled = async (
    { question, at }: Asked,
    isWanted: (answer: Turn) => boolean,
    signal?: AbortSignal,
  ): Promise<readonly Turn[] | null> => {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const listed = await client.chats.list({ ...named, ...(signal && { signal }) });
      if (listed.some((chat) => chat.chat_id === id && chat.message_count === at + 2)) {
        const now = await stored(signal);
        const last = now[at + 1];
        if (now[at]?.text === question && last !== undefined && isWanted(last)) return now;
      }
      await new Promise((resolve) => setTimeout(resolve, TRY_EVERY_MS));
    }
    return null;
  };

  const earlier = useLoaded(
    async (signal) => {
      if (!isListed || (!isKnown && turns.length === 0 && left === null)) return; // the chat is new
      if (left !== null) {
        const now = await settled(left, () => true, signal);
        setLeft(null);
        if (now !== null) setTurns(now);
        onStored();
        return;
      }
      try {
        const now = await stored(signal);
        setTurns((before) => (before === turns ? now : before)); // unless an answer arrived meanwhile
      } catch (error) {
        if (!(error instanceof LecternError) || error.status !== 404) throw error;
        setTurns([]);
        setIsGone(true);
      }
    },
    [id, owner, isListed, isKnown],
  );

  /** Whether the service has stored the exchange at an index. */
  const isStored = async (at: number): Promise<boolean> => {
    const listed = await client.chats.list(named);
    return listed.some((chat) => chat.chat_id === id && chat.message_count >= at + 2);
  };
  const wasStopped = (): boolean => isStopped.current;
  const wasLeft = (): boolean => isLeft.current;
  const ask = async (question: string, request: QueryRequest, at?: number): Promise<boolean> => {
    isStopped.current = false;
    const place = { question, at: at ?? turns.length };
    setAsked(place);
    setLeft(place);
    await settling.current;
    // Without a connection, asking says so.
    const isReplacing = at !== undefined && (broken.current !== at || (await isStored(at).catch(() => true)));
    const answer = await asking.ask({
      ...request,
      chat_id: id,
      inline_citations: true,
      stream_sources: true,
      ...(isReplacing ? { replace_from: at } : {}),
    });
    if (wasLeft()) return false;
    const partial = asking.latest.current;
    const isPartial = answer === null && partial.text !== '';
    const isBroken = isPartial && !wasStopped();
    if (answer !== null || isPartial) {
      setTurns((before) => [
        ...before.slice(0, place.at),
        ...exchangeOf(question, answer ?? partial, { isStopped: isPartial, isBroken }),
      ]);
      broken.current = isBroken ? place.at : null;
    }
    setAsked(null);
    setLeft(null);
    if (isPartial) {
      settling.current = settled(place, (stored) => isBroken || stored.isStopped)
        .then((now) => {
          if (now !== null) setTurns(isBroken ? withBreak(now) : now);
          onStored();
        })
        .catch(() => undefined); // the turns are shown as they were received
    } else if (answer !== null) onStored();
    return answer !== null || isPartial;
  };
  useEffect(
    () => () => {
      isLeft.current = true;
    },
    [],
  );
  return {
    turns: asked === null ? turns : turns.slice(0, asked.at),
    asked,
    answer: asking.answer,
    sources: asking.answer.sources,
    running: asking.running || asked !== null,
    error: asking.error,
    isLoading: earlier.running,
    loadError: earlier.error,
    reload: earlier.reload,
    isGone,
    ask,
    stop: () => {
      isStopped.current = true;
      asking.stop();
    },
    onFeedback: (index, feedback) => {
      setTurns((before) => before.map((turn, place) => (place === index ? { ...turn, feedback } : turn)));
    },
  };
}
