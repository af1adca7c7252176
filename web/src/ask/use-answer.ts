import { useRef, useState } from 'preact/hooks';
import type { QueryRequest } from '../api/lectern.js';
import { useCall } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { endOf, NO_ANSWER, type Answer } from './answer.js';

interface Asking {
  /** The answer so far; a stopped answer is kept. */
  readonly answer: Answer;
  /** The same, as received when it is read. */
  readonly latest: { readonly current: Answer };
  readonly running: boolean;
  readonly error: unknown;
  readonly ask: (request: QueryRequest) => Promise<Answer | null>;
  readonly stop: () => void;
}

/** Asks questions one at a time and streams the answers. */
export function useAnswer(): Asking {
  const { client } = useSession();
  const [answer, setAnswer] = useState<Answer>(NO_ANSWER);
  const frame = useRef(0);
  const latest = useRef<Answer>(NO_ANSWER);
  const call = useCall<[QueryRequest], Answer>(async (signal, request) => {
    cancelAnimationFrame(frame.current);
    setAnswer(NO_ANSWER);
    latest.current = NO_ANSWER;
    let whole = NO_ANSWER;
    for await (const event of client.queryStream(request, { signal })) {
      if (event.type === 'assistant') whole = { ...whole, text: whole.text + event.content };
      else if (event.type === 'sources') whole = { ...whole, sources: event.sources };
      else whole = { ...whole, end: endOf(event) };
      latest.current = whole;
      cancelAnimationFrame(frame.current);
      // At most once per frame, because the whole answer is parsed as Markdown each time.
      frame.current = requestAnimationFrame(() => setAnswer(whole));
    }
    cancelAnimationFrame(frame.current);
    setAnswer(whole);
    return whole;
  });
  return { answer, latest, running: call.running, error: call.error, ask: call.run, stop: call.stop };
}
