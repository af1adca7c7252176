import type { ServerResponse } from 'node:http';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Random } from '../random.js';
import { thoughtsOf, type WireCall } from './answers.js';
import type { Behaviour } from './behaviour.js';

const USAGE = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
const NO_COUNTS = { prompt_tokens: 1.5, completion_tokens: -7, total_tokens: -5.5 };

function usageOf(behaviour: Behaviour): object {
  return behaviour.has('broken-usage') ? NO_COUNTS : USAGE;
}

function contentOf(text: string, behaviour: Behaviour): unknown {
  return behaviour.has('parts') ? [{ type: 'text', text }] : text;
}

function reasoningApart(behaviour: Behaviour): object {
  const reasoning = behaviour.text('reasoning');
  const field = behaviour.text('reasoning-field') ?? 'reasoning_content';
  return reasoning === undefined ? {} : { [field]: decodeURIComponent(reasoning) };
}

export async function sendCompletion(
  response: ServerResponse,
  answer: string,
  behaviour: Behaviour,
): Promise<void> {
  response.setHeader('content-type', 'application/json');
  if (behaviour.has('huge')) return flood(response, '{"choices":[{"message":{"content":"');
  const message = behaviour.has('refuses')
    ? { role: 'assistant', content: null, refusal: answer }
    : { role: 'assistant', content: contentOf(answer, behaviour), ...reasoningApart(behaviour) };
  const completion = {
    id: 'fake',
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: behaviour.text('finish') ?? 'stop' }],
    ...(behaviour.has('no-usage') ? {} : { usage: usageOf(behaviour) }),
  };
  const body = JSON.stringify(completion);
  if (behaviour.has('breaks') || behaviour.has('dies')) {
    response.writeHead(200, { 'content-length': String(body.length) });
    response.write(body.slice(0, body.length / 2));
    await delay(5);
    response.destroy();
    return;
  }
  response.end(body);
}

/** Sends a stream of pieces. @param halfway awaited in the middle of the stream */
export async function sendStream(
  response: ServerResponse,
  answer: string,
  behaviour: Behaviour,
  halfway: () => Promise<void>,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (data: unknown): boolean => response.write(`data: ${JSON.stringify(data)}\n\n`);
  const chunk = (delta: object, finish: string | null = null): object => ({
    id: 'fake',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  if (behaviour.has('huge')) return flood(response, `data: ${JSON.stringify(chunk({ content: 'x' }))}\n\n`);
  const pieces = piecesOf(answer, behaviour);
  const stopAt = ['breaks', 'stops-early', 'error-event'].some((name) => behaviour.has(name))
    ? Math.ceil(pieces.length / 2)
    : pieces.length;
  send(chunk({ role: 'assistant', content: '' }));
  for (const [field, words] of Object.entries(reasoningApart(behaviour))) {
    for (const piece of piecesOf(String(words), behaviour)) send(chunk({ [field]: piece }));
  }
  if (behaviour.has('dies')) {
    await delay(5);
    response.destroy();
    return;
  }
  for (const [index, piece] of pieces.slice(0, stopAt).entries()) {
    if (index === Math.floor(pieces.length / 2)) await halfway();
    await delay(behaviour.number('token-delay', 0));
    if (response.destroyed) return;
    send(chunk(behaviour.has('refuses') ? { refusal: piece } : { content: contentOf(piece, behaviour) }));
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
  if (!behaviour.has('no-usage')) send({ id: 'fake', choices: [], usage: usageOf(behaviour) });
  response.end('data: [DONE]\n\n');
}

/** Sends a function call. In a stream the arguments of the call come in two pieces. */
export function sendCall(
  response: ServerResponse,
  { name, arguments: given }: WireCall,
  streamed: boolean,
  behaviour: Behaviour,
): void {
  const id = 'call_fake';
  const choice = (part: object, finish: string | null): object => ({
    id: 'fake',
    choices: [{ index: 0, ...part, finish_reason: finish }],
    ...(finish === null ? {} : { usage: USAGE }),
  });
  if (!streamed) {
    const calls = [{ id, type: 'function', function: { name, arguments: given } }];
    const message = { role: 'assistant', content: thoughtsOf(behaviour) || null, tool_calls: calls };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(choice({ message }, 'tool_calls')));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const piece of piecesOf(thoughtsOf(behaviour), behaviour)) {
    response.write(`data: ${JSON.stringify(choice({ delta: { content: piece } }, null))}

`);
  }
  const middle = Math.ceil(given.length / 2);
  const deltas = [
    { index: 0, id, type: 'function', function: { name, arguments: '' } },
    { index: 0, function: { arguments: given.slice(0, middle) } },
    { index: 0, function: { arguments: given.slice(middle) } },
  ];
  for (const delta of deltas) {
    response.write(`data: ${JSON.stringify(choice({ delta: { tool_calls: [delta] } }, null))}\n\n`);
  }
  response.write(`data: ${JSON.stringify(choice({ delta: {} }, 'tool_calls'))}\n\n`);
  response.end('data: [DONE]\n\n');
}

/** Splits between UTF-16 code units, because a provider may also split inside a character. */
function piecesOf(answer: string, behaviour: Behaviour): string[] {
  const random = new Random(behaviour.number('splits', 0));
  const size = behaviour.number('pieces', 4);
  const pieces: string[] = [];
  for (let at = 0; at < answer.length; at += pieces.at(-1)?.length ?? 0) {
    const length = behaviour.has('splits') ? 1 + random.below(1 + random.below(24)) : size;
    pieces.push(answer.slice(at, at + length));
  }
  return pieces;
}

/** Writes until the client closes the connection. */
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
