import { access, constants, open, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { addressOf, type ServiceAddress } from './connection/service-address.js';
import { ServiceConnection } from './connection/service-connection.js';
import { compare } from './eval/comparison.js';
import { Drafting } from './eval/draft.js';
import { parseEvalCommand, USAGE, type DraftCommand, type EvalCommand } from './eval/eval-command.js';
import { EvaluationClient } from './eval/evaluation-client.js';
import { Evaluation } from './eval/evaluation.js';
import { figuresOf } from './eval/figures.js';
import { namesIn, resolveNames } from './eval/named-documents.js';
import { Progress } from './eval/progress.js';
import { parseQuestions, type Problem } from './eval/question-file.js';
import { page } from './eval/report/page.js';
import { comparisonSummary, summary } from './eval/report/summary.js';
import { readRun, writeRun } from './eval/run-file.js';
import type { Run } from './eval/run.types.js';
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
  await access(dirname(command.out), constants.W_OK); // hours of asking shall not end in an answer that has no place
  const earlier = command.against === undefined ? null : await readRun(command.against);
  const run = await evaluate(command, await addressOf(command));
  const comparison = earlier === null ? null : compare(run, earlier);
  const pagePath = `${command.out.replace(/\.json$/, '')}.html`;
  await writeRun(command.out, run);
  await writeFile(pagePath, page(run, comparison));
  console.log(summary(run));
  if (comparison !== null) console.log(`\n${comparisonSummary(comparison)}`);
  console.log(`\nWritten: ${command.out}, ${pagePath}`);
  if (run.failed > 0) throw new Error(`${run.failed} of ${run.questions.length} questions failed`);
}

/** @throws Error when the file is there already, before the model is asked. */
async function draft({ draft: path, count }: DraftCommand, address: ServiceAddress): Promise<void> {
  const file = await open(path, 'wx');
  try {
    const service = new ServiceConnection(address);
    await service.reach();
    const drafting = new Drafting(service, new EvaluationClient(service));
    const { lines, skipped } = await drafting.write(count, (done) => {
      console.error(`${done} of ${count}`);
    });
    await file.writeFile(`${lines.join('\n')}\n`);
    console.log(`Written: ${path}, ${lines.length} questions (nothing came of ${skipped} passages).`);
    console.log(
      'Read them, throw out what nobody would ask, and correct answers before you measure with them.',
    );
  } catch (error) {
    await rm(path);
    throw error;
  } finally {
    await file.close();
  }
}

/** @throws Error with every problem of the file, before anything is asked. */
async function evaluate(command: EvalCommand, address: ServiceAddress): Promise<Run> {
  const { path, k, concurrency } = command;
  const { questions, problems } = parseQuestions(await readFile(path, 'utf8'));
  const service = new ServiceConnection(address);
  await service.reach();
  const client = new EvaluationClient(service);
  const names = resolveNames(questions, await client.documentsCalled(namesIn(questions)));
  refuse(path, [...problems, ...names.problems]);
  const progress = new Progress(questions.length);
  const at = new Date().toISOString();
  try {
    const results = await new Evaluation(client, names.ids, command).run(questions, (result) => {
      progress.add(result);
    });
    return {
      lectern_eval: 1,
      at,
      url: address.url,
      k,
      concurrency,
      ...figuresOf(results),
      questions: results,
    };
  } finally {
    progress.end();
  }
}

function refuse(path: string, problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const sorted = [...problems].sort((a, b) => a.line - b.line);
  throw new Error(sorted.map(({ line, message }) => `${path}:${line}: ${message}`).join('\n'));
}

main(process.argv.slice(2)).catch((error: unknown) => {
  reportFailure(error, { usage: USAGE, brief: true });
});
