import { EventEmitter, on, once } from 'node:events';
import { titleOfContent } from '../document-title.js';
import { LibreOffice } from '../office/libre-office.js';
import { isLong, packedParts } from '../packed-text.js';
import { convertedToPdf, drawnPages, pageView, wordsOfPages } from '../pages/drawn-pages.js';
import { judge, parse } from '../parse.js';
import { Bounds } from './bounds.js';
import {
  failureOf,
  type Failure,
  type ReaderOptions,
  type ReadHints,
  type Reply,
  type Request,
  type Result,
  type Task,
} from './messages.js';
import { Splitter } from './splitter.js';

/** Entry point of a reader process: runs tasks one after another. */
const options = JSON.parse(process.argv[2] ?? '') as ReaderOptions;
const bounds = new Bounds(options.megabytes);
const office = new LibreOffice(options.office);
const requests = new EventEmitter();

interface TaskRequest {
  readonly task: Task;
  readonly seconds: number;
  readonly bytes: Uint8Array;
}

// The handler is registered before the first await, because messages that arrive without a handler are lost.
let received: TaskRequest | undefined;
let filled = 0;
process.on('message', (request: Request) => {
  if (request.kind === 'next') requests.emit('next');
  else if (request.kind === 'task') {
    filled = 0;
    received = { task: request.task, seconds: request.seconds, bytes: new Uint8Array(request.size) };
  } else {
    received?.bytes.set(request.part, filled);
    filled += request.part.length;
  }
  if (request.kind !== 'next' && filled === received?.bytes.length) requests.emit('task', received);
});
process.on('disconnect', () => {
  void office.end().then(() => process.exit());
});
const tasks = on(requests, 'task') as AsyncIterable<[TaskRequest]>;

const splitter = await Splitter.load(options.tokenizer, options);

/**
 * Memory of the process, in MB, above which garbage is collected after a task. A process that remains too large is not
 * reused.
 */
const GROWN_MEGABYTES = 256;
const MEGABYTE = 2 ** 20;

function send(reply: Reply): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(reply, undefined, undefined, (error: Error | null) => {
      if (error === null) resolve();
      else reject(error);
    });
  });
}

async function* resultsOf(task: Task, bytes: Uint8Array): AsyncGenerator<Result, void> {
  switch (task.kind) {
    case 'read':
      yield* read(task.hints, bytes);
      return;
    case 'judge':
      await judge(bytes, task.hints);
      return;
    case 'draw': {
      for await (const page of drawnPages(bytes, task.contentType, task.from - 1, office)) {
        yield { kind: 'page', page };
        if (task.only) return;
      }
      return;
    }
    case 'view':
      yield { kind: 'view', view: await pageView(bytes, task.contentType, task.pageNumber) };
      return;
    case 'words':
      for await (const words of wordsOfPages(bytes)) yield { kind: 'words', words };
      return;
    case 'convert': {
      const { pdf, pageCount } = await convertedToPdf(bytes, task.contentType, office);
      yield { kind: 'converted', pageCount, size: pdf.length };
      for (let at = 0; at < pdf.length; at += MEGABYTE) {
        yield { kind: 'part', part: pdf.subarray(at, at + MEGABYTE) };
      }
      return;
    }
    case 'split':
    case 'contexts':
    case 'titles':
      yield* splitter.carryOut(task);
  }
}

async function* read(hints: ReadHints, bytes: Uint8Array): AsyncGenerator<Result, void> {
  const parsed = await parse(bytes, hints, {
    office,
    allow(seconds) {
      bounds.extend(seconds);
    },
    onProgress(done, total) {
      void send({ kind: 'progress', step: 'parsing', done, total });
    },
  });
  const { text, textType: contentType, pages } = parsed;
  const name = hints.name === undefined ? (hints.filename ?? null) : hints.name;
  const title = hints.title === undefined ? titleOfContent(parsed, name) : hints.title;
  if (isLong(text)) for (const part of packedParts(text)) yield { kind: 'text', part };
  yield { kind: 'document', document: isLong(text) ? { ...parsed, text: '' } : parsed };
  const { chunks } = hints;
  yield* splitter.split(text, { pages, contentType }, { contentType, title, ...(chunks && { chunks }) });
}

function megabytes(): number {
  return process.memoryUsage.rss() / MEGABYTE;
}

async function carryOut({ task, seconds, bytes }: TaskRequest): Promise<Failure | null> {
  bounds.begin(seconds);
  try {
    for await (const result of resultsOf(task, bytes)) {
      const next = result.kind === 'page' ? once(requests, 'next') : undefined;
      await send(result);
      if (next === undefined) continue;
      bounds.end(); // the time that the consumer takes does not count
      await next;
      global.gc?.(); // pixels are outside the heap, so its size does not trigger a collection
      bounds.begin(seconds);
    }
    return null;
  } catch (error) {
    return failureOf(error);
  } finally {
    bounds.end();
  }
}

for await (const [task] of tasks) {
  received = undefined; // so that the bytes are freed with the task
  const failure = await carryOut(task);
  if (megabytes() > GROWN_MEGABYTES) global.gc?.();
  await send({ kind: 'end', megabytes: megabytes(), failure });
}
