// An application changes OPENAI_BASE_URL and OPENAI_API_KEY only.
import assert from 'node:assert/strict';
import { Agent, fileSearchTool, run, setTracingDisabled, tool } from '@openai/agents';
import { z } from 'zod';
import { MODEL, QUESTION, STORE } from './common.mjs';

setTracingDisabled(true); // the default exporter sends traces to OpenAI

const search = fileSearchTool([STORE], { includeSearchResults: true });
const agent = new Agent({ name: 'Weights', instructions: 'Be brief.', model: MODEL, tools: [search] });
const first = await run(agent, QUESTION);
assert.match(first.finalOutput, /nine kilograms/);
assert.match(
  (await run(agent, [...first.history, { role: 'user', content: 'Really?' }])).finalOutput,
  /kilograms/,
);

const streamed = await run(agent, QUESTION, { stream: true });
let text = '';
for await (const piece of streamed.toTextStream()) text += piece;
await streamed.completed;
assert.deepEqual([text, streamed.finalOutput], [first.finalOutput, first.finalOutput]);

const lookedUp = [];
const lookup = tool({
  name: 'lookup',
  description: 'Looks a word up.',
  parameters: z.object({ word: z.string() }),
  execute: ({ word }) => {
    lookedUp.push(word);
    return `${word} is a word`;
  },
});
const calling = new Agent({ name: 'Words', model: MODEL, tools: [lookup, search] });
assert.match((await run(calling, QUESTION)).finalOutput, /kilograms/);
assert.deepEqual(lookedUp, ['x']);
