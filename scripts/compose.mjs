/**
 * `npm run test:compose`: runs the Docker Compose commands of the documentation verbatim on the Docker Engine
 * of this machine; those of the README twice. Then it checks further requirements of the container and prints
 * measurements.
 *
 * `node scripts/compose.mjs [--without TEXT]...` skips commands that contain the text, and reports them;
 * `node scripts/compose.mjs --page docs/operate/scale.md` runs the README's commands and those of one page
 * only.
 *
 * It works on a copy of the repository, with images and volumes of the projects "lectern" and "drill", which
 * must not exist before and are removed afterwards.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const PROJECTS = ['lectern', 'drill'];
const QUESTION = 'What does error E07 mean?';
const PAGES = [
  'docs/operate/deploy.md',
  'docs/operate/back-up.md',
  'docs/operate/upgrade.md',
  'docs/operate/run.md',
  'docs/operate/scale.md',
];
const { values } = parseArgs({
  options: {
    without: { type: 'string', multiple: true, default: [] },
    page: { type: 'string', multiple: true, default: PAGES },
  },
});

const repository = new URL('..', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'lectern-compose-'));
const figures = [];

/** Runs a shell snippet. @returns its output @throws Error with the output */
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

/**
 * Shell blocks and inline commands of a page that use Compose. @param heading section of the page; all of it without
 */
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

/** @param code module to run in the service's container */
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

/** Preparations that give a repair command something to repair. */
const BEFORE = [
  [
    'POSTGRES_IMAGE=',
    () => shell(commandsOf('docs/operate/deploy.md').find((code) => code.includes('lectern ingest'))), // data to migrate
  ],
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

/** Checks after a command. */
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

/**
 * Queries six tenants with a document each; returns JSON: `{status, retryAfter, found}`.
 *
 * @param keys of the tenants; none: creates them
 */
const askTenants = (keys = []) =>
  JSON.parse(
    inService(`
      import { readFileSync } from 'node:fs';
      const post = (path, key, body) =>
        fetch('http://127.0.0.1:8000' + path, {
          method: 'POST',
          headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
      const keys = ${JSON.stringify(keys)};
      for (let number = 0; keys.length < 6; number += 1) {
        const admin = readFileSync('/data/api-key', 'utf8').trim();
        const { uri } = await (await post('/cloud/generate_uri', admin, { name: 'crew-' + number })).json();
        keys.push(/:([\\w.-]+)@/.exec(uri)[1]);
        await post('/ingest/text', keys.at(-1), { content: 'Crew ' + number + ' sails at nine.' });
      }
      const answers = [];
      for (const [number, key] of keys.entries()) {
        const ask = () => post('/retrieve/chunks', key, { query: 'When does crew ' + number + ' sail?' });
        let answer = await ask();
        let passages = answer.ok ? await answer.json() : [];
        for (let time = 0; answer.ok && passages.length === 0 && time < 60; time += 1) {
          await new Promise((resolve) => setTimeout(resolve, 500));
          answer = await ask();
          passages = answer.ok ? await answer.json() : [];
        }
        const found = passages.map(({ content }) => content);
        answers.push({ status: answer.status, retryAfter: answer.headers.get('retry-after'), found });
      }
      console.log(JSON.stringify({ keys, answers }));
    `),
  );

/** Stopping a cluster node gives 503 to its own tenants only, until it is back. */
function endNode() {
  const { keys, answers } = askTenants();
  const own = answers.map((_, number) => [200, [`Crew ${number} sails at nine.`]]);
  const seen = (all) => all.map(({ status, found }) => [status, found]);
  const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  expect(isSame(seen(answers), own), 'six tenants find what is theirs', JSON.stringify(answers));
  shell('docker compose stop node1');
  const without = askTenants(keys).answers;
  const lost = without.filter(({ status, retryAfter }) => status === 503 && Number(retryAfter) > 0);
  const others = without.filter(({ status }) => status === 200);
  const told = `without a node ${lost.length} of them get 503 with Retry-After, ${others.length} what they had`;
  expect(
    lost.length > 0 && others.length > 0 && lost.length + others.length === 6,
    told,
    JSON.stringify(without),
  );
  expect(/"name":"nodes","status":"degraded"/.test(health()), 'and /health names it', health());
  shell('docker compose up --detach --wait');
  expect(isSame(seen(askTenants(keys).answers), own), 'all find what is theirs when it is back');
}

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

/** Sends a signal before the port is open, with Node as process 1. */
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
  for (const page of values.page) for (const code of commandsOf(page)) runCommand(page, code);
  const host = shell('docker compose exec -T lectern getent hosts host.docker.internal');
  expect(/^[\d.]+ /.test(host), 'this machine has an address in the container', host);
  if (values.page.includes('docs/operate/scale.md')) endNode();
  endsBeforeItsPort();
  measure();
  console.log(figures.join('\n'));
  isWell = true;
} finally {
  if (!isWell) spawnSync('docker', ['compose', 'logs', '--tail', '30'], { cwd: folder, stdio: 'inherit' });
  removeAll();
  rmSync(folder, { recursive: true, force: true });
}
