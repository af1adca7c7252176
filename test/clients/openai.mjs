import assert from 'node:assert/strict';
import OpenAI from 'openai';
import { BASE, KEY, LOOKUP, OLD, OLD_ANSWER, PASSAGES, QUESTION } from './common.mjs';

const client = new OpenAI({ baseURL: BASE, apiKey: KEY, maxRetries: 0 });
const messages = [{ role: 'user', content: QUESTION }];

// Additional parameters are members of the same body.
const answer = await client.chat.completions.create({ model: PASSAGES, messages, ...OLD });
assert.match(answer.choices[0].message.content, OLD_ANSWER);

let text = '';
const stream = await client.chat.completions.create({ model: PASSAGES, messages, ...OLD, stream: true });
for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
assert.match(text, OLD_ANSWER);

const runner = client.chat.completions.runTools({
  model: 'lectern',
  messages,
  tools: [
    {
      type: 'function',
      function: { ...LOOKUP, parse: JSON.parse, function: ({ word }) => `${word} is a word` },
    },
  ],
});
assert.match(await runner.finalContent(), /kilograms/);
assert.deepEqual(
  runner.messages.map(({ role }) => role),
  ['user', 'assistant', 'tool', 'assistant'],
);

const { data } = await client.embeddings.create({ model: 'lectern', input: ['blue', 'green'] });
assert.equal(data.length, 2);
