#!/usr/bin/env node
/** `lectern <command>`: every command is a script of its own and reads the arguments behind its name. */
const COMMANDS: Readonly<Record<string, { readonly about: string; readonly run: () => Promise<unknown> }>> = {
  start: { about: 'starts the service', run: () => import('../main.js') },
  ingest: {
    about: 'puts the files of a folder into a service and keeps them current',
    run: () => import('./ingest.js'),
  },
  import: {
    about: 'copies folders and documents from another service of the interface family',
    run: () => import('./import.js'),
  },
  mcp: { about: 'speaks the Model Context Protocol on stdin and stdout', run: () => import('./mcp.js') },
  eval: { about: 'measures how good the answers to given questions are', run: () => import('./eval.js') },
  keys: { about: 'creates, lists and revokes API keys', run: () => import('./keys.js') },
  reindex: {
    about: 'rebuilds all vectors with the model of EMBEDDING_MODEL',
    run: () => import('./reindex.js'),
  },
};

const USAGE = [
  'Usage: lectern <command>',
  '',
  ...Object.entries(COMMANDS).map(([name, { about }]) => `  ${name.padEnd(9)} ${about}`),
].join('\n');

const [name = ''] = process.argv.splice(2, 1);
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (command !== undefined) await command.run();
else if (['help', '--help', '-h'].includes(name)) console.log(USAGE);
else {
  console.error(name === '' ? USAGE : `unknown command "${name}"\n\n${USAGE}`);
  process.exitCode = 1;
}
