import type { ChatTurn, Rating } from '../api/lectern.js';
import { citationsIn, type Answer } from './answer.js';

/** Why an answer ended early: the reader stopped it, an error ended it, or its page was left. */
export type EarlyEnd = 'stopped' | 'broken' | 'interrupted';

/** A displayed turn; an answer has its citations and sources. */
export interface Turn {
  readonly role: ChatTurn['role'];
  readonly text: string;
  readonly answer: Answer | null;
  /** null: the answer is whole. */
  readonly ending: EarlyEnd | null;
  readonly feedback: Rating | null;
}

/** An exchange that broke off and that the service does not have. */
export interface LostExchange {
  /** Number of stored turns before it. */
  readonly at: number;
  readonly turns: readonly Turn[];
}

/** A turn with its index in the stored chat; null: the service does not have it. */
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

/** The turns of a question and its answer. */
export function exchangeOf(question: string, answer: Answer, ending: EarlyEnd | null = null): Turn[] {
  return [
    { role: 'user', text: question, answer: null, ending: null, feedback: null },
    { role: 'assistant', text: answer.text, answer, ending, feedback: null },
  ];
}

/** Says why the last answer, which the service stored as stopped, ended early. */
export function withEnding(turns: readonly Turn[], ending: EarlyEnd): Turn[] {
  const last = turns.length - 1;
  return turns.map((turn, index) => (index === last && turn.ending !== null ? { ...turn, ending } : turn));
}

/** Returns the stored turns; answers of this visit keep what only the stream had. */
export function turnsOf(stored: readonly ChatTurn[], before: readonly Turn[]): Turn[] {
  return stored.map(({ role, content: text, citations, sources, model, stopped, feedback }, index) => {
    const same = [before[index], ...before].find(
      (turn) => turn?.answer?.end != null && turn.text === text && turn.role === role,
    );
    const end = sources === undefined ? null : { citations: citationsIn(citations), sources, model };
    const kept = end === null ? null : { text, end };
    return {
      role,
      text,
      answer: same?.answer ?? kept,
      ending: stopped === true ? (before[index]?.ending ?? 'stopped') : null,
      feedback: feedback ?? null,
    };
  });
}
