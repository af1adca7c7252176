#!/usr/bin/env node
import { VERSION } from '../../src/config/package-root.js';

interface Command {
  readonly about: string;
  /** It goes on when nobody reads its output, or has something to put away first. */
  readonly outlivesReader?: true;
  readonly run: () => Promise<unknown>;
  readonly usage: () => Promise<{ readonly USAGE: string }>;
}

/** `lectern <command>`: every command is a script of its own and reads the arguments behind its name. */
const COMMANDS: Readonly<Record<string, Command>> = {
  serve: {
    about: 'starts the service, on embedded defaults when nothing else is set',
    outlivesReader: true,
    run: () => import('./serve.js'),
    usage: () => import('./serve/serve-command.js'),
  },
  demo: {
    about: 'shows what it does, with documents of its own',
    outlivesReader: true,
    run: () => import('./demo.js'),
    usage: () => import('./demo/demo-command.js'),
  },
  ingest: {
    about: 'puts the files of a folder into a service and keeps them current',
    run: () => import('./ingest.js'),
    usage: () => import('./ingest/ingest-command.js'),
  },
  ask: {
    about: 'answers a question from the documents of a service, with its sources',
    run: () => import('./ask.js'),
    usage: () => import('./ask/ask-command.js'),
  },
  search: {
    about: 'finds the passages for a question, with their scores',
    run: () => import('./search.js'),
    usage: () => import('./search/search-command.js'),
  },
  eval: {
    about: 'measures how good the answers to given questions are',
    run: () => import('./eval.js'),
    usage: () => import('./eval/eval-command.js'),
  },
  keys: {
    about: 'creates, lists and revokes API keys',
    run: () => import('./keys.js'),
    usage: () => import('./keys/key-command.js'),
  },
  import: {
    about: 'copies folders and documents from another service of the interface family',
    run: () => import('./import.js'),
    usage: () => import('./import/import-command.js'),
  },
  mcp: {
    about: 'speaks the Model Context Protocol on stdin and stdout',
    run: () => import('./mcp.js'),
    usage: () => import('./mcp/mcp-command.js'),
  },
  doctor: {
    about: 'looks at everything that the service needs and says what mends it',
    run: () => import('./doctor.js'),
    usage: () => import('./doctor/doctor-command.js'),
  },
  reindex: {
    about: 'rebuilds all vectors with the model of EMBEDDING_MODEL',
    run: () => import('./reindex.js'),
    usage: () => import('./reindex/reindex-command.js'),
  },
  start: {
    about: 'the same service for supervisors: no options, prints its log and nothing else',
    outlivesReader: true,
    run: () => import('./start.js'),
    usage: () => import('./start/start-command.js'),
  },
};

const USAGE = [
  'Usage: lectern <command> [options]',
  '',
  ...Object.entries(COMMANDS).map(([name, { about }]) => `  ${name.padEnd(9)} ${about}`),
  '',
  'lectern <command> --help says more of one; lectern --version says which this is.',
].join('\n');

const [, , first, second] = process.argv;
if (first === 'help' && second !== undefined) process.argv.splice(2, 2, second, '--help');
const [name = ''] = process.argv.splice(2, 1);
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
/** Behind `--` stands what is meant literally, such as a question. */
const options = process.argv.slice(2).filter((_, at, all) => !all.slice(0, at).includes('--'));
const asksFor = (...spellings: string[]): boolean => options.some((option) => spellings.includes(option));

if (['--version', '-v'].includes(name) || (command !== undefined && asksFor('--version')))
  console.log(VERSION);
else if (['help', '--help', '-h'].includes(name)) console.log(USAGE);
else if (command === undefined) {
  console.error(name === '' ? USAGE : `unknown command "${name}"\n\n${USAGE}`);
  process.exitCode = 1;
} else if (asksFor('--help', '-h')) console.log((await command.usage()).USAGE);
else {
  if (command.outlivesReader !== true) endWithReader();
  await command.run();
}

/** A reader that has seen enough, such as `head`, closes the pipe: no failure, and nobody to tell more. */
function endWithReader(): void {
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    process.exit(code === 'EPIPE' ? undefined : 1);
  });
  process.stderr.on('error', () => undefined);
}
