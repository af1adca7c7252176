// Sends the messages and functions that Open WebUI sends with every chat message.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { BASE, KEY, OLD, OLD_ANSWER, PASSAGES } from './common.mjs';

const recorded = JSON.parse(await readFile(new URL('open-webui.json', import.meta.url), 'utf8'));
assert.equal(recorded.tools.length, 35);

async function chat(model, more = {}) {
  const response = await fetch(`${BASE}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...recorded, model, ...more }),
  });
  assert.equal(response.status, 200, model);
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: '));
  assert.equal(lines.pop(), 'data: [DONE]');
  const chunks = lines.map((line) => JSON.parse(line.slice('data: '.length)));
  assert.ok(chunks.at(-1).usage);
  return chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
}

assert.match(await chat(PASSAGES, OLD), OLD_ANSWER);
assert.match(await chat('lectern'), /kilograms/);
