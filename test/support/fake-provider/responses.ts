import type { ServerResponse } from 'node:http';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Behaviour } from './behaviour.js';

const USAGE = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

/** Answers with one completion. */
export async function sendCompletion(
  response: ServerResponse,
  answer: string,
  behaviour: Behaviour,
): Promise<void> {
  response.setHeader('content-type', 'application/json');
  if (behaviour.has('huge')) return flood(response, '{"choices":[{"message":{"content":"');
  const message = behaviour.has('refuses')
    ? { role: 'assistant', content: null, refusal: answer }
    : { role: 'assistant', content: answer };
  const completion = {
    id: 'fake',
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: behaviour.text('finish') ?? 'stop' }],
    ...(behaviour.has('no-usage') ? {} : { usage: USAGE }),
  };
  const body = JSON.stringify(completion);
  if (behaviour.has('breaks')) {
    response.writeHead(200, { 'content-length': String(body.length) });
    response.write(body.slice(0, body.length / 2));
    await delay(5);
    response.destroy();
    return;
  }
  response.end(body);
}

/** Answers with a stream of pieces. */
export async function sendStream(
  response: ServerResponse,
  answer: string,
  behaviour: Behaviour,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (data: unknown): boolean => response.write(`data: ${JSON.stringify(data)}\n\n`);
  const chunk = (delta: object, finish: string | null = null): object => ({
    id: 'fake',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  if (behaviour.has('huge')) return flood(response, `data: ${JSON.stringify(chunk({ content: 'x' }))}\n\n`);
  const size = behaviour.number('pieces', 4);
  const pieces = answer.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
  const stopAt = ['breaks', 'stops-early', 'error-event'].some((name) => behaviour.has(name))
    ? Math.ceil(pieces.length / 2)
    : pieces.length;
  send(chunk({ role: 'assistant', content: '' }));
  for (const piece of pieces.slice(0, stopAt)) {
    await delay(behaviour.number('token-delay', 0));
    if (response.destroyed) return;
    send(chunk({ content: piece }));
  }
  if (behaviour.has('breaks')) {
    await delay(5);
    response.destroy();
    return;
  }
  if (behaviour.has('error-event')) send({ error: { message: 'internal provider words' } });
  if (behaviour.has('stops-early') || behaviour.has('error-event')) {
    response.end();
    return;
  }
  send(chunk({}, behaviour.text('finish') ?? 'stop'));
  if (!behaviour.has('no-usage')) send({ id: 'fake', choices: [], usage: USAGE });
  response.end('data: [DONE]\n\n');
}

/** Writes for as long as the client reads. */
async function flood(response: ServerResponse, start: string): Promise<void> {
  const more = start.startsWith('data:') ? start.repeat(1_000) : 'x'.repeat(64 * 1024);
  const pump = (): void => {
    while (!response.destroyed && response.write(more));
  };
  response.on('drain', pump);
  response.write(start);
  pump();
  await once(response, 'close');
}
