/**
 * A process that reads files and counts the steps: receives `{ bytes, filename }`, answers the number of steps of parsing
 * and splitting. The compiled reader is loaded after the counter has started.
 */
import { StepCounter } from './steps.mjs';

const counter = new StepCounter();
await counter.start();
const DIST = '../../reader/dist';
const { parse } = await import(`${DIST}/parsing/parse.js`);
const { ParseFailure } = await import(`${DIST}/parsing/parse-failure.js`);
const { Splitter } = await import(`${DIST}/parsing/reader/splitter.js`);
const { BYTE_PAIR } = await import(`${DIST}/tokenizers/load-tokenizer.js`);
const splitter = await Splitter.load(BYTE_PAIR, { size: 254, overlap: 32, context: 40 });

const surroundings = {
  onProgress: () => undefined,
  allow: () => undefined,
  office: { convert: () => Promise.reject(new Error('no office')) },
};

async function read(bytes, filename) {
  try {
    const { text, textType, contentType } = await parse(bytes, { filename }, surroundings);
    const how = { contentType: textType ?? contentType };
    // eslint-disable-next-line no-unused-vars -- the pieces are made only if they are read
    for (const pieces of splitter.split(text, how, how));
  } catch (error) {
    if (!(error instanceof ParseFailure)) throw error; // a refusal is an answer
  }
}

process.on('message', ({ bytes, filename }) => {
  void counter.count(() => read(new Uint8Array(bytes), filename)).then((steps) => process.send(steps));
});
process.send('ready');
