// Tests the default provider of the AI SDK, which uses the Responses API. An application changes
// OPENAI_BASE_URL and OPENAI_API_KEY only.
import assert from 'node:assert/strict';
import { z } from 'zod';
import { CITED, MODEL, QUESTION, STORE } from './common.mjs';

const [, , sdk, provider] = process.argv;
const { embed, generateText, Output, stepCountIs, streamText, tool } = await import(sdk);
const { openai } = await import(provider);

const search = openai.tools.fileSearch({ vectorStoreIds: [STORE], maxNumResults: 3 });
const asking = { model: openai(MODEL), prompt: QUESTION, tools: { file_search: search }, maxRetries: 0 };
const results = { providerOptions: { openai: { include: ['file_search_call.results'] } } };

const answer = await generateText({ ...asking, ...results });
assert.match(answer.text, /nine kilograms/);
assert.deepEqual(
  answer.sources.map(({ sourceType, filename }) => [sourceType, filename]),
  [['document', CITED]],
);
const streamed = streamText({ ...asking, ...results });
let text = '';
for await (const piece of streamed.textStream) text += piece;
assert.equal(text, answer.text);
assert.deepEqual([await streamed.finishReason, (await streamed.sources).length], ['stop', 1]);

// The second turn refers to the items of the first one by id.
const messages = [
  { role: 'user', content: QUESTION },
  ...answer.response.messages,
  { role: 'user', content: 'Is that heavy?' },
];
assert.match((await generateText({ ...asking, prompt: undefined, messages })).text, /kilograms/);

const lookedUp = [];
const lookup = tool({
  description: 'Looks a word up.',
  inputSchema: z.object({ word: z.string() }),
  execute: ({ word }) => {
    lookedUp.push(word);
    return `${word} is a word`;
  },
});
const several = { ...asking, tools: { lookup, file_search: search }, stopWhen: stepCountIs(3) };
assert.match((await generateText(several)).text, /kilograms/);
assert.match(await streamText(several).text, /kilograms/);
assert.deepEqual(lookedUp, ['x', 'x']);

const { output } = await generateText({
  ...{ model: openai(MODEL), prompt: QUESTION, maxRetries: 0 },
  output: Output.object({ schema: z.object({ kilograms: z.number().int() }) }),
});
assert.equal(typeof output.kilograms, 'number');

// The service never returns its own vectors under another model's name.
const embedding = (model) => embed({ model: openai.embedding(model), value: 'blue', maxRetries: 0 });
assert.ok((await embedding('lectern')).embedding.length > 1);
await assert.rejects(embedding('text-embedding-3-small'), /lectern/);
