import type { ChatTurn, Rating } from '../api/lectern.js';
import type { Answer } from './answer.js';

/**
 * Why an answer ended early. `stopped`: a reader stopped it; `broken`: an error ended it; `interrupted`: its page was
 * left, and the service does not have it.
 */
export type EarlyEnd = 'stopped' | 'broken' | 'interrupted';

/** A turn of a conversation as the page shows it: a question or an answer. An answer has citations and sources. */
export interface Turn {
  readonly role: ChatTurn['role'];
  readonly text: string;
  readonly answer: Answer | null;
  /** Why the answer ended early; null: the answer is complete. */
  readonly ending: EarlyEnd | null;
  readonly feedback: Rating | null;
  /** Of a question: how often it and what followed was replaced. */
  readonly earlierVersions?: number;
}

/** An interrupted exchange that the service has not stored. */
export interface LostExchange {
  /** Number of stored turns before the exchange. */
  readonly at: number;
  readonly turns: readonly Turn[];
}

/** A question and its answer so far. As far as this page knows, the service has not stored the answer. */
export interface OpenExchange {
  readonly question: string;
  /** Index of the question among the turns. The question replaces the stored turns from this index on. */
  readonly at: number;
  readonly answer: Answer;
  /** Why the answer ended early; null: the answer is still being written. */
  readonly ending: EarlyEnd | null;
  /** Id of the answer at the service, which goes on when this page is left; null: it is not asked for yet. */
  readonly answerId: string | null;
  /** Whether the connection is lost, so that the rest of the answer is still to come. */
  readonly isDisconnected?: boolean;
}

/** A turn with its index in the stored chat. The index is null if the service has not stored the turn. */
export interface ShownTurn extends Turn {
  readonly index: number | null;
}

/** The stored turns with the lost exchanges at their places. */
export function withLost(turns: readonly Turn[], lost: readonly LostExchange[]): ShownTurn[] {
  const lostAt = (place: number): ShownTurn[] =>
    lost
      .filter(({ at }) => at === place)
      .flatMap((one) => one.turns.map((turn) => ({ ...turn, index: null })));
  return [...turns.flatMap((turn, index) => [...lostAt(index), { ...turn, index }]), ...lostAt(turns.length)];
}

/**
 * Returns the lost exchanges to show before a new question at index `at`.
 * @param before the exchange that was open; null: none, or the service has stored it
 */
export function lostBefore(
  at: number,
  lost: readonly LostExchange[],
  before: OpenExchange | null,
): readonly LostExchange[] {
  const earlier = lost.filter((one) => one.at <= at);
  if (before === null || before.answer.text === '') return earlier;
  return [...earlier, { at, turns: exchangeOf(before.question, before.answer, before.ending) }];
}

/** The turns of a question and its answer. */
export function exchangeOf(question: string, answer: Answer, ending: EarlyEnd | null = null): Turn[] {
  return [
    { role: 'user', text: question, answer: null, ending: null, feedback: null },
    { role: 'assistant', text: answer.text, answer, ending, feedback: null },
  ];
}

/** The turns after an exchange has replaced those from an index on. */
export function replacedFrom(
  turns: readonly Turn[],
  at: number,
  [question, ...rest]: readonly Turn[],
): Turn[] {
  const before = turns[at];
  const earlierVersions = before === undefined ? 0 : (before.earlierVersions ?? 0) + 1;
  return [
    ...turns.slice(0, at),
    ...(question === undefined ? [] : [{ ...question, earlierVersions }]),
    ...rest,
  ];
}

/** Sets the reason why the last answer ended early. The service stores only the fact that the answer was stopped. */
export function withEnding(turns: readonly Turn[], ending: EarlyEnd): Turn[] {
  const last = turns.length - 1;
  return turns.map((turn, index) => (index === last && turn.ending !== null ? { ...turn, ending } : turn));
}

/**
 * Returns the stored turns. If this page received an answer as a stream, the answer keeps the members that the service
 * sends only in the stream.
 */
export function turnsOf(stored: readonly ChatTurn[], before: readonly Turn[]): Turn[] {
  return stored.map((turn, index) => {
    const { role, content: text, citations, sources, model, stopped, feedback, earlier_versions } = turn;
    const same = [before[index], ...before].find(
      (turn) => turn?.answer?.end != null && turn.text === text && turn.role === role,
    );
    const { answered: isAnswered, model_failure: failure } = turn;
    const end =
      sources === undefined ? null : { citations: citations ?? [], sources, model, isAnswered, failure };
    const kept = end === null ? null : { text, end };
    return {
      role,
      text,
      answer: same?.answer ?? kept,
      ending: stopped === true ? (before[index]?.ending ?? 'stopped') : null,
      feedback: feedback ?? null,
      earlierVersions: earlier_versions ?? 0,
    };
  });
}
