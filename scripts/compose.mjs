/**
 * `npm run test:compose`: the commands for Docker Compose that the documentation shows, word for word as they stand there, on
 * the Docker Engine of this machine; those of the README twice. Then what a container has to do besides, and figures.
 *
 *   node scripts/compose.mjs [--without TEXT]...     leaves out commands that hold the text, and says so
 *
 * It works on a copy of the repository, with the images and volumes of the project "lectern" and "drill", which may not be
 * there before and are removed afterwards.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const PROJECTS = ['lectern', 'drill'];
const QUESTION = 'What does error E07 mean?';
const { values } = parseArgs({ options: { without: { type: 'string', multiple: true, default: [] } } });

const repository = new URL('..', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'lectern-compose-'));
const figures = [];

/** Runs a piece of shell as somebody types it there. @returns what it prints @throws Error with all of it */
function shell(code, input = '') {
  const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', code], {
    cwd: folder,
    encoding: 'utf8',
    input,
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(`exit ${status} of\n${code}\n${stdout}\n${stderr}`);
  return stdout;
}

function expect(isSo, what, shown = '') {
  if (!isSo) throw new Error(`not so: ${what}\n${shown}`);
  console.log(`ok      ${what}`);
}

/** Blocks of shell, and commands within the text, that use Compose. @param heading of the part of the page; all of it without */
function commandsOf(page, heading) {
  const text = readFileSync(join(repository, page), 'utf8');
  const from = heading === undefined ? 0 : text.indexOf(`\n## ${heading}\n`);
  const to = heading === undefined ? -1 : text.indexOf('\n## ', from + 1);
  const part = text.slice(from, to === -1 ? undefined : to);
  const blocks = [...part.matchAll(/^ *```sh\n(.*?)^ *```$/gms)].map(([, code]) => code);
  const inline = [...part.replaceAll(/^ *```.*?^ *```$/gms, '').matchAll(/`(docker compose [^`]+)`/g)].map(
    ([, code]) => code,
  );
  return [...blocks, ...new Set(inline)].filter((code) => code.includes('docker compose '));
}

/** @param code of a module, run in the container of the service */
const inService = (code) => shell('docker compose exec -T lectern node --input-type=module -', code).trim();
const uploadStatus = () =>
  inService(`
    import { readFileSync } from 'node:fs';
    const body = new FormData();
    body.append('file', new Blob(['The ferry leaves at nine.']), 'ferry.txt');
    const authorization = 'Bearer ' + readFileSync('/data/api-key', 'utf8').trim();
    const answer = await fetch('http://127.0.0.1:8000/ingest/file', { method: 'POST', headers: { authorization }, body });
    console.log(answer.status);
  `);
const health = () => inService(`console.log(await (await fetch('http://127.0.0.1:8000/health')).text());`);
const setting = (name, value) => {
  const path = join(folder, '.env');
  const others = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(`${name}=`));
  writeFileSync(path, [...others, ...(value === undefined ? [] : [`${name}=${value}`]), ''].join('\n'));
};

/** What is so before a command that mends something, so that it has something to mend. */
const BEFORE = [
  [
    'chown -R node:node',
    () => {
      shell(
        'docker compose run --rm --no-deps --user root --cap-add CHOWN --cap-add DAC_READ_SEARCH lectern chown -R root:root /data/files',
      );
      shell('docker compose restart lectern && docker compose up --detach --wait');
      expect(uploadStatus() === '503', 'files of root make an upload a 503', health());
      expect(/"name":"storage","status":"degraded"/.test(health()), 'and are told by /health', health());
    },
  ],
  [
    'alter role lectern',
    () => {
      setting('POSTGRES_PASSWORD', 'another0password');
      spawnSync('docker', ['compose', 'up', '--detach'], { cwd: folder });
      const log = waitFor(() => shell('docker compose logs lectern'), /password authentication failed/);
      expect(log, 'another password in .env is told by the log');
    },
  ],
  [
    'lectern reindex',
    () => {
      setting('EMBEDDING_MODEL', 'local-multilingual');
      spawnSync('docker', ['compose', 'up', '--detach'], { cwd: folder });
      const log = waitFor(
        () => shell('docker compose logs lectern'),
        /docker compose run --rm lectern lectern reindex/,
      );
      expect(log, 'another model is refused with the command that helps');
    },
  ],
];

/** What is so after a command. */
const AFTER = [
  ['lectern search', (printed) => expect(printed.includes('E07'), 'the search finds it', printed)],
  ['lectern doctor', (printed) => expect(!/^✗/m.test(printed), 'the doctor has no complaint', printed)],
  [
    '--scale worker=2',
    () => {
      const ended = shell("docker compose --profile worker ps --all --format '{{.Service}} {{.ExitCode}}'");
      expect(ended.match(/^worker 0$/gm)?.length === 2, 'two workers were there and ended in order', ended);
    },
  ],
  ['lectern migrate', (printed) => expect(!/"level":[456]0/.test(printed), 'without a complaint', printed)],
  ['chown -R node:node', () => expect(uploadStatus() === '200', 'an upload is taken again')],
  ['dropdb', () => expect(uploadStatus() === '200', 'an upload is taken after a restore in place', health())],
  [
    'lectern reindex',
    () => {
      shell('docker compose up --detach --wait');
      expect(
        shell(`docker compose exec -T lectern lectern search "${QUESTION}"`).includes('E07'),
        'and found anew',
      );
    },
  ],
];

function waitFor(look, pattern) {
  for (let time = 0; time < 120; time += 1) {
    if (pattern.test(look())) return true;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
  }
  return false;
}

function runCommand(page, code) {
  const left = values.without.find((text) => code.includes(text));
  if (left !== undefined) {
    console.log(`not run ${page}: ${code.trim().split('\n')[0]}`);
    return '';
  }
  for (const [text, prepare] of BEFORE) if (code.includes(text)) prepare();
  let printed = '';
  const seconds = secondsOf(() => {
    printed = shell(code);
  });
  console.log(`ok      ${page}, ${seconds} s: ${code.trim().split('\n').join('\n        ')}`);
  for (const [text, look] of AFTER) if (code.includes(text)) look(printed);
  return printed;
}

/** A signal before the port is open, where Node is process 1. */
function endsBeforeItsPort() {
  const id = shell(
    `docker run --detach --env DATABASE_URL=postgres://a:b@127.0.0.1:9/c --env JWT_SECRET=$(openssl rand -hex 24) lectern:service`,
  ).trim();
  try {
    expect(
      waitFor(() => shell(`docker logs ${id} 2>&1`), /No database at/),
      'a start without a database goes on trying',
    );
    const seconds = secondsOf(() => shell(`docker stop --time 30 ${id}`));
    const code = shell(`docker inspect --format '{{.State.ExitCode}}' ${id}`).trim();
    expect(code === '143' && Number(seconds) < 15, `SIGTERM ends it (${seconds} s, exit code ${code})`);
  } finally {
    shell(`docker rm --force --volumes ${id}`);
  }
}

const secondsOf = (work) => {
  const begun = performance.now();
  work();
  return ((performance.now() - begun) / 1_000).toFixed(1);
};

function measure() {
  const images = shell(`docker image ls --format '{{.Repository}}:{{.Tag}} {{.Size}}' lectern`)
    .trim()
    .split('\n');
  const memory = shell(`docker stats --no-stream --format '{{.Name}} {{.MemUsage}}'`).trim().split('\n');
  figures.push(...[...images, ...memory].map((line) => `        ${line}`));
}

function removeAll() {
  for (const project of PROJECTS) {
    const files = ['--project-name', project, '--profile', '*', 'down', '--volumes', '--remove-orphans'];
    spawnSync('docker', ['compose', ...files], { cwd: folder });
  }
}

const present = execFileSync('docker', ['volume', 'ls', '--quiet'], { encoding: 'utf8' }).split('\n');
if (present.some((name) => PROJECTS.some((project) => name.startsWith(`${project}_`)))) {
  throw new Error(
    `There are volumes of ${PROJECTS.join(' or ')} here, which may hold what somebody needs: nothing was done`,
  );
}
const copy =
  'git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf - | tar -C "$0" -xf -';
execFileSync('bash', ['-euo', 'pipefail', '-c', copy, folder], { cwd: repository });

let isWell = false;
try {
  const [readme] = commandsOf('README.md', 'With Docker');
  const keyOf = (printed) => printed.trim().split('\n').at(-1);
  const key = keyOf(runCommand('README.md', readme));
  const again = keyOf(runCommand('README.md, again', readme));
  expect(key === again && key.startsWith('ey'), 'the key is the same after the second time');
  shell('docker compose down');
  figures.push(
    `figures: ${secondsOf(() => shell('docker compose up --detach --wait'))} s from up to healthy, with its database`,
  );
  expect(
    shell('docker compose exec lectern cat /data/api-key').trim() === key,
    'it is the same after down and up',
  );
  measure();
  for (const code of commandsOf('docs/deploy.md')) runCommand('docs/deploy.md', code);
  const host = shell('docker compose exec -T lectern getent hosts host.docker.internal');
  expect(/^[\d.]+ /.test(host), 'this machine has an address in the container', host);
  for (const code of commandsOf('docs/operations.md')) runCommand('docs/operations.md', code);
  endsBeforeItsPort();
  measure();
  console.log(figures.join('\n'));
  isWell = true;
} finally {
  if (!isWell) spawnSync('docker', ['compose', 'logs', '--tail', '30'], { cwd: folder, stdio: 'inherit' });
  removeAll();
  rmSync(folder, { recursive: true, force: true });
}
