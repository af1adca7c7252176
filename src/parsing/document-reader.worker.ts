import { once } from 'node:events';
import { MessageChannel, parentPort, workerData } from 'node:worker_threads';
import { workInBackground } from '../config/background-thread.js';
import { ContextFinder } from '../splitting/context.js';
import { outlineOf } from '../splitting/outline.js';
import { createTokenCounter } from '../splitting/token-counter.js';
import type { Piece, SplitOptions } from '../splitting/piece.js';
import { piecesOf } from '../splitting/split.js';
import { titleOfContent } from './document-title.js';
import { isLong, pack } from './packed-text.js';
import { parse } from './parse.js';
import type { Convert } from './parser.js';
import { errorOf, failureOf } from './reader/failures.js';
import type {
  ContextHints,
  ConversionOutcome,
  Job,
  Progress,
  ReaderOptions,
  Reply,
} from './reader/messages.js';
import { ownBuffer } from './reader/own-buffer.js';

/** Parses and splits on a thread of its own: one job after another, as they come. */
workInBackground();
const { tokenizer, size: whole, overlap: shared, context } = workerData as ReaderOptions;
const counter = await createTokenCounter(tokenizer);
const size = whole - context;
const overlap = Math.min(shared, Math.floor(size / 2));
const budget = { counter, tokens: context };

/** Pieces between two reports of progress. */
const REPORT_EVERY = 500;

function reply(message: Reply): void {
  const parts = message.kind === 'read' && typeof message.text !== 'string' ? message.text : [];
  parentPort?.postMessage(
    message,
    parts.map(({ bytes }) => bytes.buffer),
  );
}

function report(step: Progress['step'], done: number, total: number): void {
  reply({ kind: 'progress', progress: { step, done, total } });
}

function split(text: string, options: Partial<SplitOptions>, hints: ContextHints): Piece[] {
  const pieces: Piece[] = [];
  const contexts = contextsIn(text, hints);
  for (const piece of piecesOf(text, { counter, size, overlap, ...options })) {
    pieces.push({ ...piece, context: contexts.contextOf(piece) });
    if (pieces.length % REPORT_EVERY === 0) report('splitting', piece.end, text.length);
  }
  return pieces;
}

function contextsIn(text: string, { contentType, title = null, above }: ContextHints): ContextFinder {
  return new ContextFinder(text, outlineOf(text, contentType, above?.table), title, budget, above);
}

/** The bytes of a job, which lets go of them: while a long text is split they would take as much again as it does. */
function takeBytes(job: { bytes: Uint8Array }): Uint8Array {
  const { bytes } = job;
  job.bytes = new Uint8Array();
  return bytes;
}

/** The main thread has it made: what this thread started would outlive it when it is ended. */
const convert: Convert = async (bytes, conversion) => {
  const { port1, port2 } = new MessageChannel();
  const own = ownBuffer(bytes);
  parentPort?.postMessage({ kind: 'convert', bytes: own, conversion, answer: port2 } satisfies Reply, [
    port2,
    own.buffer,
  ]);
  const [outcome] = (await once(port1, 'message')) as [ConversionOutcome];
  if (outcome.kind !== 'converted') throw errorOf(outcome);
  return outcome.bytes;
};

async function run(job: Job): Promise<Reply> {
  switch (job.kind) {
    case 'read':
      return read(job);
    case 'split': {
      const { contentType, lead } = job.hints;
      const options = { ...(contentType && { contentType }), ...(lead && { lead }) };
      return { kind: 'split', pieces: split(job.text, options, job.hints) };
    }
    case 'contexts': {
      const contexts = contextsIn(job.text, job.hints);
      const pieces = job.pieces.map((piece) => ({ ...piece, context: contexts.contextOf(piece) }));
      return { kind: 'contexts', pieces };
    }
  }
}

async function read(job: Extract<Job, { kind: 'read' }>): Promise<Reply> {
  const { hints } = job;
  const { text, ...document } = await parse(takeBytes(job), hints, {
    convert,
    onProgress(done, total) {
      report('parsing', done, total);
    },
  });
  const { textType: contentType, pages } = document;
  const title =
    hints.title === undefined ? titleOfContent({ ...document, text }, hints.filename ?? null) : hints.title;
  const pieces = split(text, { pages, contentType }, { contentType, title });
  return { kind: 'read', document, text: isLong(text) ? pack(text) : text, pieces };
}

parentPort?.on('message', (job: Job) => {
  run(job).then(reply, (error: unknown) => {
    reply(failureOf(error));
  });
});
