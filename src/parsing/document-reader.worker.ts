import { inspect } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import { workInBackground } from '../config/background-thread.js';
import { createTokenCounter } from '../splitting/token-counter.js';
import type { Piece, SplitOptions } from '../splitting/piece.js';
import { piecesOf } from '../splitting/split.js';
import { ParseFailure } from './parse-failure.js';
import { isLong, pack } from './packed-text.js';
import { parse } from './parse.js';
import type { Job, Progress, ReaderOptions, Reply } from './reader/messages.js';

/** Parses and splits on a thread of its own: one job after another, as they come. */
workInBackground();
const { tokenizer, size, overlap } = workerData as ReaderOptions;
const counter = await createTokenCounter(tokenizer);

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

function split(text: string, options: Partial<SplitOptions>): Piece[] {
  const pieces: Piece[] = [];
  for (const piece of piecesOf(text, { counter, size, overlap, ...options })) {
    pieces.push(piece);
    if (pieces.length % REPORT_EVERY === 0) report('splitting', piece.end, text.length);
  }
  return pieces;
}

/** The bytes of a job, which lets go of them: while a long text is split they would take as much again as it does. */
function takeBytes(job: { bytes: Uint8Array }): Uint8Array {
  const { bytes } = job;
  job.bytes = new Uint8Array();
  return bytes;
}

async function run(job: Job): Promise<Reply> {
  if (job.kind === 'split') return { kind: 'split', pieces: split(job.text, job.hints) };
  const { text, ...document } = await parse(takeBytes(job), job.hints, (done, total) => {
    report('parsing', done, total);
  });
  const pieces = split(text, { pages: document.pages, contentType: document.textType });
  return { kind: 'read', document, text: isLong(text) ? pack(text) : text, pieces };
}

parentPort?.on('message', (job: Job) => {
  run(job).then(reply, (error: unknown) => {
    if (error instanceof ParseFailure)
      reply({
        kind: 'failure',
        message: error.message,
        cause: error.cause === undefined ? null : inspect(error.cause),
      });
    else reply({ kind: 'error', stack: inspect(error) });
  });
});
