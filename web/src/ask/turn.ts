import type { ChatTurn, Rating } from '../api/lectern.js';
import { citationsIn, type Answer } from './answer.js';

/** A displayed turn; an answer has its citations and sources. */
export interface Turn {
  readonly role: ChatTurn['role'];
  readonly text: string;
  readonly answer: Answer | null;
  /** Whether the reader stopped the answer. */
  readonly isStopped: boolean;
  /** Whether an error ended the answer in this visit. */
  readonly isBroken?: boolean;
  readonly feedback: Rating | null;
}

/** The turns of a question and its answer. */
export function exchangeOf(
  question: string,
  answer: Answer,
  { isStopped = false, isBroken = false }: Partial<Pick<Turn, 'isStopped' | 'isBroken'>> = {},
): Turn[] {
  return [
    { role: 'user', text: question, answer: null, isStopped: false, feedback: null },
    { role: 'assistant', text: answer.text, answer, isStopped, isBroken, feedback: null },
  ];
}

/** Says of the last answer, which the service stored as stopped, that an error ended it. */
export function withBreak(turns: readonly Turn[]): Turn[] {
  const last = turns.length - 1;
  return turns.map((turn, index) => (index === last && turn.isStopped ? { ...turn, isBroken: true } : turn));
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
      isStopped: stopped === true,
      feedback: feedback ?? null,
    };
  });
}
