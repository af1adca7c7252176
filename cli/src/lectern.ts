#!/usr/bin/env -S node --max-semi-space-size=64
import { printedRelease } from '../../src/index.js';
import { reportFailure, type Command } from './command.js';
import { print, printError } from './output.js';

interface Entry {
  readonly about: string;
  readonly load: () => Promise<Command>;
  /** Whether errors are printed without a stack. Client commands print errors this way. */
  readonly brief?: boolean;
  /** Whether the command keeps running after its reader closed stdout. */
  readonly outlivesReader?: boolean;
}

/** `lectern <command>`: each command is a module, loaded on demand. */
const COMMANDS: Readonly<Record<string, Entry>> = {
  serve: {
    about: 'starts the service; by default with the embedded database and bundled model',
    load: () => import('./serve.js'),
    outlivesReader: true,
  },
  demo: {
    about: 'gives a tour with sample documents',
    load: () => import('./demo.js'),
    brief: true,
    outlivesReader: true,
  },
  ingest: {
    about: 'ingests the files of a folder and updates changed ones',
    load: () => import('./ingest.js'),
    brief: true,
  },
  ask: {
    about: 'answers a question from the documents, with sources',
    load: () => import('./ask.js'),
    brief: true,
  },
  search: {
    about: 'searches passages, with scores',
    load: () => import('./search.js'),
    brief: true,
  },
  eval: {
    about: 'evaluates search and answers on a file of questions',
    load: () => import('./eval.js'),
    brief: true,
  },
  keys: { about: 'creates, lists and revokes API keys', load: () => import('./keys.js') },
  audit: { about: 'prints and exports the audit log as JSON lines', load: () => import('./audit.js') },
  import: {
    about: 'copies folders and documents from a compatible service',
    load: () => import('./import.js'),
    brief: true,
  },
  mcp: {
    about: 'runs an MCP server on stdin and stdout',
    load: () => import('./mcp.js'),
    brief: true,
  },
  doctor: {
    about: 'checks all dependencies; --deep checks and repairs stored data',
    load: () => import('./doctor.js'),
  },
  reindex: {
    about: 'rebuilds all vectors with EMBEDDING_MODEL',
    load: () => import('./reindex.js'),
  },
  migrate: {
    about: 'migrates the database and exits',
    load: () => import('./migrate.js'),
    outlivesReader: true,
  },
  distribute: {
    about: 'distributes tenants over a Citus cluster',
    load: () => import('./distribute.js'),
  },
  export: {
    about: 'writes a tenant, or everything, to one file or stream',
    load: () => import('./export.js'),
  },
  restore: {
    about: 'restores an export into this installation',
    load: () => import('./restore.js'),
  },
  start: {
    about: 'starts the service without options, for containers and supervisors',
    load: () => import('./start.js'),
    outlivesReader: true,
  },
};

const USAGE = [
  'Usage: lectern <command> [options]',
  '',
  ...Object.entries(COMMANDS).map(([name, { about }]) => `  ${name.padEnd(10)} ${about}`),
  '',
  'See lectern <command> --help. Version: lectern --version.',
].join('\n');

const given = process.argv.slice(2);
if (given[0] === 'help' && given[1] !== undefined) given.splice(0, 2, given[1], '--help');
const [name = '', ...args] = given;
const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
/** The arguments before `--`. Those after it are literal text, for example a question, and never options. */
const options = args.slice(0, args.includes('--') ? args.indexOf('--') : args.length);

if (['--version', '-v'].includes(name) || (entry !== undefined && options.includes('--version'))) {
  print(printedRelease());
} else if (['help', '--help', '-h'].includes(name)) print(USAGE);
else if (entry === undefined) {
  printError(name === '' ? USAGE : `unknown command "${name}"\n\n${USAGE}`);
  process.exitCode = 1;
} else await execute(entry);

async function execute({ load, brief = false, outlivesReader = false }: Entry): Promise<void> {
  const command = await load();
  if (options.includes('--help') || options.includes('-h')) {
    print(command.USAGE);
    return;
  }
  if (!outlivesReader) endWithReader();
  try {
    await command.run(args);
  } catch (error) {
    reportFailure(error, command.USAGE, brief);
  }
}

/** Ends the command when its reader, such as `head`, closes the pipe early. This is not a failure. */
function endWithReader(): void {
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    process.exit(code === 'EPIPE' ? undefined : 1);
  });
  process.stderr.on('error', () => undefined);
}
