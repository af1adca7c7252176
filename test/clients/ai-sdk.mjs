// Works with both major versions of the AI SDK: they share the names used here.
import assert from 'node:assert/strict';
import { z } from 'zod';
import { BASE, KEY, OLD, OLD_ANSWER, PASSAGES, QUESTION } from './common.mjs';

const [, , sdk, provider] = process.argv;
const { generateText, Output, stepCountIs, streamText, tool, embedMany } = await import(sdk);
const { createOpenAICompatible } = await import(provider);

const lectern = createOpenAICompatible({
  name: 'lectern',
  baseURL: BASE,
  apiKey: KEY,
  supportsStructuredOutputs: true,
});
const old = { model: lectern(PASSAGES), prompt: QUESTION, providerOptions: { lectern: OLD }, maxRetries: 0 };

assert.match((await generateText(old)).text, OLD_ANSWER);
assert.match(await streamText(old).text, OLD_ANSWER);

const lookedUp = [];
const tools = {
  lookup: tool({
    description: 'Looks a word up.',
    inputSchema: z.object({ word: z.string() }),
    execute: ({ word }) => {
      lookedUp.push(word);
      return `${word} is a word`;
    },
  }),
};
const asking = {
  model: lectern('lectern'),
  prompt: QUESTION,
  tools,
  stopWhen: stepCountIs(3),
  maxRetries: 0,
};
assert.match((await generateText(asking)).text, /kilograms/);
assert.match(await streamText(asking).text, /kilograms/);
assert.deepEqual(lookedUp, ['x', 'x']);

const { output } = await generateText({
  model: lectern('lectern'),
  prompt: QUESTION,
  output: Output.object({ schema: z.object({ kilograms: z.number().int() }) }),
  maxRetries: 0,
});
assert.equal(typeof output.kilograms, 'number');

const { embeddings } = await embedMany({
  model: lectern.embeddingModel('lectern'),
  values: ['blue', 'green'],
});
assert.equal(embeddings.length, 2);
