#!/usr/bin/env node
import { VERSION } from '../../src/index.js';
import { reportFailure, type Command } from './command.js';

interface Entry {
  readonly about: string;
  readonly load: () => Promise<Command>;
  /** It speaks to a service: what went wrong is said in a sentence, without a stack. */
  readonly brief?: boolean;
  /** It goes on when nobody reads its output, or has something to put away first. */
  readonly outlivesReader?: boolean;
}

/** `lectern <command>`: every command is a module of its own, loaded when it is asked for. */
const COMMANDS: Readonly<Record<string, Entry>> = {
  serve: {
    about: 'starts the service, on embedded defaults when nothing else is set',
    load: () => import('./serve.js'),
    outlivesReader: true,
  },
  demo: {
    about: 'shows what it does, with documents of its own',
    load: () => import('./demo.js'),
    brief: true,
    outlivesReader: true,
  },
  ingest: {
    about: 'puts the files of a folder into a service and keeps them current',
    load: () => import('./ingest.js'),
    brief: true,
  },
  ask: {
    about: 'answers a question from the documents of a service, with its sources',
    load: () => import('./ask.js'),
    brief: true,
  },
  search: {
    about: 'finds the passages for a question, with their scores',
    load: () => import('./search.js'),
    brief: true,
  },
  eval: {
    about: 'measures how good the answers to given questions are',
    load: () => import('./eval.js'),
    brief: true,
  },
  keys: { about: 'creates, lists and revokes API keys', load: () => import('./keys.js') },
  import: {
    about: 'copies folders and documents from another service of the interface family',
    load: () => import('./import.js'),
    brief: true,
  },
  mcp: {
    about: 'speaks the Model Context Protocol on stdin and stdout',
    load: () => import('./mcp.js'),
    brief: true,
  },
  doctor: {
    about: 'looks at everything that the service needs and says what mends it',
    load: () => import('./doctor.js'),
  },
  reindex: {
    about: 'rebuilds all vectors with the model of EMBEDDING_MODEL',
    load: () => import('./reindex.js'),
  },
  migrate: {
    about: 'brings the database to the state that this version needs, and ends',
    load: () => import('./migrate.js'),
    outlivesReader: true,
  },
  distribute: {
    about: 'spreads the tenants of a PostgreSQL over the nodes of a Citus cluster',
    load: () => import('./distribute.js'),
  },
  start: {
    about: 'the same service for supervisors: no options, prints its log and nothing else',
    load: () => import('./start.js'),
    outlivesReader: true,
  },
};

const USAGE = [
  'Usage: lectern <command> [options]',
  '',
  ...Object.entries(COMMANDS).map(([name, { about }]) => `  ${name.padEnd(10)} ${about}`),
  '',
  'lectern <command> --help says more of one; lectern --version says which this is.',
].join('\n');

const given = process.argv.slice(2);
if (given[0] === 'help' && given[1] !== undefined) given.splice(0, 2, given[1], '--help');
const [name = '', ...args] = given;
const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
/** Behind `--` stands what is meant literally, such as a question. */
const options = args.slice(0, args.includes('--') ? args.indexOf('--') : args.length);

if (['--version', '-v'].includes(name) || (entry !== undefined && options.includes('--version'))) {
  console.log(VERSION);
} else if (['help', '--help', '-h'].includes(name)) console.log(USAGE);
else if (entry === undefined) {
  console.error(name === '' ? USAGE : `unknown command "${name}"\n\n${USAGE}`);
  process.exitCode = 1;
} else await execute(entry);

async function execute({ load, brief = false, outlivesReader = false }: Entry): Promise<void> {
  const command = await load();
  if (options.includes('--help') || options.includes('-h')) {
    console.log(command.USAGE);
    return;
  }
  if (!outlivesReader) endWithReader();
  try {
    await command.run(args);
  } catch (error) {
    reportFailure(error, command.USAGE, brief);
  }
}

/** A reader that has seen enough, such as `head`, closes the pipe: no failure, and nobody to tell more. */
function endWithReader(): void {
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    process.exit(code === 'EPIPE' ? undefined : 1);
  });
  process.stderr.on('error', () => undefined);
}
