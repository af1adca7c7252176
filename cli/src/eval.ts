import { rm, writeFile } from 'node:fs/promises';
import {
  compare,
  comparisonSummary,
  figuresOf,
  isComparable,
  page,
  summary,
  type Run,
} from '@lectern/evaluation';
import { addressOf, type ServiceAddress } from './connection/service-address.js';
import { ServiceConnection } from './connection/service-connection.js';
import { Drafting } from './eval/draft.js';
import { parseEvalCommand, USAGE, type DraftCommand, type EvalCommand } from './eval/eval-command.js';
import { EvaluationClient } from './eval/evaluation-client.js';
import { Evaluation, identity } from './eval/evaluation.js';
import { namesIn, resolveNames } from './eval/named-documents.js';
import { Progress } from './eval/progress.js';
import { parseQuestions, type Problem } from './eval/question-file.js';
import { readText } from './eval/read-text.js';
import { checkResultFiles, incompleteBeside, openDraft, pageBeside } from './eval/result-files.js';
import { readRun, writeRun } from './eval/run-file.js';
import { reportFailure } from './report-failure.js';

/** `lectern eval`: measures how good a service's answers to given questions are. */
async function main(args: readonly string[]): Promise<void> {
  const command = parseEvalCommand(args, process.env, new Date());
  if (command === 'help') {
    console.log(USAGE);
    return;
  }
  if ('draft' in command) {
    await draft(command, await addressOf(command));
    return;
  }
  await checkResultFiles(command);
  const earlier = command.against === undefined ? null : await readRun(command.against);
  const run = await evaluate(command, await addressOf(command), earlier);
  const comparison = earlier === null ? null : compare(run, earlier);
  const out = run.incomplete === undefined ? command.out : incompleteBeside(command.out);
  await writeRun(out, run);
  await writeFile(pageBeside(out), page(run, comparison));
  console.log(summary(run));
  if (comparison !== null) console.log(`\n${comparisonSummary(comparison)}`);
  console.log(`\nWritten: ${out}, ${pageBeside(out)}`);
  if (run.incomplete !== undefined) throw new Error(`Incomplete: ${run.incomplete}`);
  if (comparison?.differences.length === 0) process.exitCode = 1;
  if (run.failed > 0) throw new Error(`${run.failed} of ${run.questions.length} questions failed`);
}

/** @throws Error when the file is there already, before the model is asked. */
async function draft({ draft: path, count }: DraftCommand, address: ServiceAddress): Promise<void> {
  const file = await openDraft(path);
  let kept = 0;
  try {
    const service = new ServiceConnection(address, stoppable().signal);
    await service.reach();
    const drafting = new Drafting(service, new EvaluationClient(service));
    const { questions, passages } = await drafting.write(
      count,
      async (line) => {
        await file.appendFile(`${line}\n`);
        kept += 1;
      },
      (done) => {
        console.error(`${done} of ${count}`);
      },
    );
    const skipped = passages - questions;
    console.log(`Written: ${path}, ${questions} questions (nothing came of ${skipped} passages).`);
    console.log(
      'Read them, throw out what nobody would ask, and correct answers before you measure with them.',
    );
  } catch (error) {
    if (kept === 0) throw error;
    throw new Error(`${(error as Error).message}\nQuestions kept in ${path}: ${kept}`, {
      cause: error,
    });
  } finally {
    await file.close();
    if (kept === 0) await rm(path);
  }
}

/** @throws Error with every problem of the file, before anything is asked. */
async function evaluate(command: EvalCommand, address: ServiceAddress, earlier: Run | null): Promise<Run> {
  const { path, against = '', k, concurrency } = command;
  const { questions, problems } = parseQuestions(await readText(path));
  const stop = stoppable();
  const service = new ServiceConnection(address, stop.signal);
  await service.reach();
  const client = new EvaluationClient(service);
  const names = resolveNames(questions, await client.documentsCalled(namesIn(questions)));
  refuse(path, [...problems, ...names.problems]);
  if (earlier !== null && !isComparable(questions.map(identity), earlier)) {
    throw new Error(`--against: nothing can be compared, no question of ${path} is the same in ${against}`);
  }
  const progress = new Progress(questions.length);
  const at = new Date().toISOString();
  try {
    const results = await new Evaluation(client, names.ids, command, stop).run(questions, (result) => {
      progress.add(result);
    });
    const incomplete = incompleteness(results.length, questions.length, stop.signal);
    return {
      lectern_eval: 1,
      at,
      url: address.url,
      k,
      concurrency,
      ...figuresOf(results),
      ...(incomplete === null ? {} : { incomplete }),
      questions: results,
    };
  } finally {
    progress.end();
  }
}

/** The first Ctrl-C ends requests, so that what there is can be written; the second one ends the process. */
function stoppable(): AbortController {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      stop.abort(new Error('interrupted'));
    });
  }
  return stop;
}

/** @returns null when nothing is missing @throws Error when nothing was measured */
function incompleteness(measured: number, asked: number, { reason }: AbortSignal): string | null {
  if (measured === asked) return null;
  const { message } = reason as Error;
  const text = `stopped after ${measured} of ${asked} questions: ${message}`;
  if (measured === 0) throw new Error(`Nothing is written: ${text}`);
  return text;
}

function refuse(path: string, problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const sorted = [...problems].sort((a, b) => a.line - b.line);
  throw new Error(sorted.map(({ line, message }) => `${path}:${line}: ${message}`).join('\n'));
}

main(process.argv.slice(2)).catch((error: unknown) => {
  reportFailure(error, { usage: USAGE, brief: true });
});
