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
import { numberOf, parseCommandLine, UsageError } from './command.js';
import { Drafting } from './eval/draft.js';
import { ANSWERS, Evaluation, identity, type Asking } from './eval/evaluation.js';
import { namesIn, resolveNames } from './eval/named-documents.js';
import { Progress } from './eval/progress.js';
import { parseQuestions, type Problem } from './eval/question-file.js';
import {
  checkResultFiles,
  incompleteBeside,
  openDraft,
  pageBeside,
  readRun,
  readText,
  writeRun,
} from './eval/result-files.js';
import { ServiceUnderTest } from './eval/service-under-test.js';
import {
  addressOf,
  givenAddress,
  SERVICE_OPTIONS,
  type GivenAddress,
  type ServiceAddress,
} from './service.js';

export const USAGE = `Usage: lectern eval <questions.jsonl> [options]
       lectern eval --draft <questions.jsonl> [--count <n>] [--url <url>] [--key <key>]

  --out <file>          where the figures go as JSON, and beside it the page as HTML (eval-<time>.json)
  --against <file>      the JSON of an earlier run: says what differs and what is noise
  --answers <which>     questions that POST /query is asked: with an expected answer (expected), all, none (expected)
  --k <n>               chunks that are asked for, 10 to 1000 (100)
  --concurrency <n>     questions at once, 1 to 64; more than 1 makes latencies those of a busy service (1)
  --draft <file>        has the configured model write a first file of questions about documents of the service
  --count <n>           questions of a draft, 1 to 1000; each is one call of the model (30)
  --url <url>           the service (LECTERN_URL, or the local one by HOST and PORT)
  --key <key>           an API key with the scopes read and query (LECTERN_API_KEY, or DATA_DIR/api-key)
  --help                this
  --version             which Lectern this is

A line is a JSON object: "question", and any of "document" (file name, source path or id), "page", "quote", "answer",
"relevant" (documents, or grades by document); besides "filters", "folder_name", "folder_depth", "end_user_id", "id".`;

interface EvalCommand extends GivenAddress, Asking {
  /** The file of questions. */
  readonly path: string;
  /** The JSON; the page lies beside it. */
  readonly out: string;
  readonly against: string | undefined;
}

/** Writes a file of questions instead of asking them. */
interface DraftCommand extends GivenAddress {
  readonly draft: string;
  readonly count: number;
}

const OPTIONS = {
  draft: { type: 'string' },
  count: { type: 'string' },
  out: { type: 'string' },
  against: { type: 'string' },
  answers: { type: 'string' },
  k: { type: 'string' },
  concurrency: { type: 'string' },
  ...SERVICE_OPTIONS,
} as const;

/** Options that a draft has no use for. */
const OF_RUNS = ['out', 'against', 'answers', 'k', 'concurrency'] as const;

/** `lectern eval`: measures how good a service's answers to given questions are. */
export async function run(args: readonly string[]): Promise<void> {
  const command = parseEvalCommand(args, process.env, new Date());
  if ('draft' in command) await draft(command, await addressOf(command));
  else await measured(command);
}

async function measured(command: EvalCommand): Promise<void> {
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
    const drafting = new Drafting(new ServiceUnderTest(address, stoppable().signal));
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
  const service = new ServiceUnderTest(address, stop.signal);
  await service.reach();
  const names = resolveNames(questions, await service.documentsCalled(namesIn(questions)));
  refuse(path, [...problems, ...names.problems]);
  if (earlier !== null && !isComparable(questions.map(identity), earlier)) {
    throw new Error(`--against: nothing can be compared, no question of ${path} is the same in ${against}`);
  }
  const progress = new Progress(questions.length);
  const at = new Date().toISOString();
  try {
    const results = await new Evaluation(service, names.ids, command, stop).run(questions, (result) => {
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

/**
 * Reads the arguments behind `lectern eval`.
 * @param environment LECTERN_URL and LECTERN_API_KEY
 * @param now names the result that is not named
 * @throws UsageError
 */
export function parseEvalCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  now: Date,
): EvalCommand | DraftCommand {
  const { values, positionals } = parseCommandLine({
    args: [...args],
    options: OPTIONS,
    allowPositionals: true,
  });
  if (values.draft !== undefined) {
    if (positionals.length > 0) throw new UsageError('--draft takes the file to write and no other');
    const unused = OF_RUNS.find((option) => values[option] !== undefined);
    if (unused !== undefined) throw new UsageError(`--${unused} does not go with --draft`);
    const count = numberOf('count', values.count ?? '30', 1, 1_000);
    return { draft: values.draft, count, ...givenAddress(values, environment) };
  }
  if (values.count !== undefined) throw new UsageError('--count goes with --draft only');
  const [path, ...others] = positionals;
  if (path === undefined || others.length > 0) throw new UsageError('eval takes one file of questions');
  return {
    path,
    out: values.out ?? `eval-${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}.json`,
    against: values.against,
    answers: answersOf(values.answers ?? 'expected'),
    k: numberOf('k', values.k ?? '100', 10, 1_000),
    concurrency: numberOf('concurrency', values.concurrency ?? '1', 1, 64),
    ...givenAddress(values, environment),
  };
}

function answersOf(text: string): EvalCommand['answers'] {
  const answers = ANSWERS.find((one) => one === text);
  if (answers === undefined) throw new UsageError(`--answers takes ${ANSWERS.join(', ')}`);
  return answers;
}
