// Required before a service or a spec (NODE_OPTIONS, setupFiles): writes every distinct statement sent to PostgreSQL into
// the folder RECORDED_STATEMENTS, as JSON lines of its text, its values at its first use, and its source file.
const { appendFileSync, existsSync, mkdirSync } = require('node:fs');
const { join } = require('node:path');
const { isMainThread } = require('node:worker_threads');

const LAYERS = /^src\/(?:database|telemetry|request)\/[\w-]+\.ts$/;

const isService = /\/dist\/(?:main|cli\/lectern)\.js$/.test(process.argv[1] ?? '');
const isSpec = typeof jest !== 'undefined' || process.env.JEST_WORKER_ID !== undefined;

if (isMainThread && (isService || isSpec)) record(process.env.RECORDED_STATEMENTS);

function record(folder) {
  mkdirSync(folder, { recursive: true });
  process.setSourceMapsEnabled(isService); // one file of dist/cli has many sources
  const file = join(folder, `${process.pid}.jsonl`);
  const { Client } = require('pg');
  const { query } = Client.prototype;
  const known = new Set();
  Client.prototype.query = function (...given) {
    const [statement, values] = given;
    const text = typeof statement === 'string' ? statement : statement?.text;
    if (typeof text === 'string' && !known.has(text)) {
      known.add(text);
      const used = statement?.values ?? (Array.isArray(values) ? values : []);
      appendFileSync(file, `${JSON.stringify({ text, values: used.map(shortened), source: source() })}\n`);
    }
    return query.apply(this, given);
  };
}

/** Keeps what may be a tenant: a short text. */
function shortened(value) {
  return typeof value === 'string' && value.length <= 200 ? value : null;
}

/** Returns the first file of the product or of a spec on the stack that is not a layer below the statement. */
function source() {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 60;
  const { stack } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  const files = stack
    .split('\n')
    .map((line) => /\/((?:dist|src|maintenance|cli|test)\/[\w./-]+\.[jt]s)/.exec(line)?.[1] ?? '')
    .filter((path) => path !== '' && !path.startsWith('dist/bundle/') && existsSync(path)) // not libraries
    .map((path) => path.replace(/^dist\/(?:cli\/)?/, (folder) => (folder === 'dist/' ? 'src/' : 'cli/')))
    .map((path) => path.replace(/\.js$/, '.ts'));
  // Behind a callback of a library the stack of a spec has layers only.
  return files.find((path) => !LAYERS.test(path)) ?? (isService ? files.at(-1) : undefined) ?? '';
}
