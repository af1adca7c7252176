import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/**
 * An OpenAI-compatible completion endpoint in its own process, so that its timers do not slow down the measurement. The
 * model name configures it as `first/gap/tokens`: milliseconds before the first token, milliseconds between tokens, and
 * number of tokens. `last()` resolves to the messages of the latest request.
 */
export async function startFakeCompletions() {
  const child = fork(fileURLToPath(import.meta.url), ['serve']);
  const [url] = await once(child, 'message');
  return {
    url,
    async last() {
      child.send('last');
      const [messages] = await once(child, 'message');
      return messages;
    },
    async close() {
      child.kill();
      await once(child, 'exit');
    },
  };
}

async function serve() {
  let latest = [];
  const server = createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const { model, messages } = JSON.parse(Buffer.concat(parts).toString());
      latest = messages;
      void stream(response, model.split('/').map(Number));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.on('message', () => process.send(latest));
  process.send(`http://127.0.0.1:${server.address().port}/v1`);
}

async function stream(response, [first, gap, tokens]) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  await pause(first);
  for (let number = 0; number < tokens && !response.destroyed; number += 1) {
    if (number > 0 && gap > 0) await pause(gap);
    send(response, [{ index: 0, delta: { content: `word${number} ` }, finish_reason: null }]);
  }
  send(response, [{ index: 0, delta: {}, finish_reason: 'stop' }]);
  response.write(
    `data: ${JSON.stringify({ id: 'fake', choices: [], usage: { prompt_tokens: 1, completion_tokens: tokens, total_tokens: tokens + 1 } })}\n\n`,
  );
  response.end('data: [DONE]\n\n');
}

function send(response, choices) {
  response.write(`data: ${JSON.stringify({ id: 'fake', object: 'chat.completion.chunk', choices })}\n\n`);
}

if (process.argv[2] === 'serve') await serve();
