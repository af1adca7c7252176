/**
 * `node scripts/compose.mjs`: runs the Docker Compose commands of the documentation verbatim on the Docker Engine of this
 * machine. Runs the commands of the README twice. Then checks other properties of the container and prints
 * measurements.
 *
 * `node scripts/compose.mjs [--without TEXT]...` skips commands that contain TEXT, and lists the skipped commands;
 * `node scripts/compose.mjs --page docs/operate/scale.md` runs only the commands of the README and of this page.
 *
 * It works on a copy of the repository, with images and volumes of the projects "lectern" and "drill", which must not
 * exist before the run and are removed at its end.
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
  if (!isSo) throw new Error(`check failed: ${what}\n${shown}`);
  console.log(`ok      ${what}`);
}

/**
 * Shell blocks and inline commands of a page that use Compose. @param heading section of the page; unset: the whole
 * page
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

/** Preparations before a command, such as damage that a repair command then repairs. */
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
      expect(uploadStatus() === '503', 'an upload is a 503 if the files belong to root', health());
      expect(
        /"name":"storage","status":"degraded"/.test(health()),
        '/health reports the files of root',
        health(),
      );
    },
  ],
  [
    'alter role lectern',
    () => {
      setting('POSTGRES_PASSWORD', 'another0password');
      spawnSync('docker', ['compose', 'up', '--detach'], { cwd: folder });
      const log = waitFor(() => shell('docker compose logs lectern'), /password authentication failed/);
      expect(log, 'the log reports a wrong password in .env');
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
      expect(log, 'another embedding model is refused, with the command to run');
    },
  ],
];

/** Checks after a command. */
const AFTER = [
  ['lectern search', (printed) => expect(printed.includes('E07'), 'the search finds it', printed)],
  ['lectern doctor', (printed) => expect(!/^fail/m.test(printed), 'the doctor finds no failure', printed)],
  [
    '--scale worker=2',
    () => {
      const ended = shell("docker compose --profile worker ps --all --format '{{.Service}} {{.ExitCode}}'");
      expect(ended.match(/^worker 0$/gm)?.length === 2, 'two workers ran and exited with code 0', ended);
    },
  ],
  [
    'lectern migrate',
    (printed) => expect(!/"level":[456]0/.test(printed), 'the migration logs no warning', printed),
  ],
  ['chown -R node:node', () => expect(uploadStatus() === '200', 'uploads work again')],
  ['dropdb', () => expect(uploadStatus() === '200', 'uploads work after a restore in place', health())],
  [
    'lectern reindex',
    () => {
      shell('docker compose up --detach --wait');
      expect(
        shell(`docker compose exec -T lectern lectern search "${QUESTION}"`).includes('E07'),
        'the search finds the passage after the reindex',
      );
    },
  ],
];

/**
 * Queries six tenants, each with one document. Returns the keys and, per tenant, `{status, retryAfter, found}`.
 *
 * @param keys keys of the tenants; an empty list: creates the tenants
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

/** Checks that the tenants of a stopped cluster node, and no other tenants, get a 503 until the node runs again. */
function endNode() {
  const { keys, answers } = askTenants();
  const own = answers.map((_, number) => [200, [`Crew ${number} sails at nine.`]]);
  const seen = (all) => all.map(({ status, found }) => [status, found]);
  const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  expect(isSame(seen(answers), own), 'each of six tenants finds its own document', JSON.stringify(answers));
  shell('docker compose stop node1');
  const without = askTenants(keys).answers;
  const lost = without.filter(({ status, retryAfter }) => status === 503 && Number(retryAfter) > 0);
  const others = without.filter(({ status }) => status === 200);
  const told = `without a node ${lost.length} tenants get a 503 with Retry-After, ${others.length} their documents`;
  expect(
    lost.length > 0 && others.length > 0 && lost.length + others.length === 6,
    told,
    JSON.stringify(without),
  );
  expect(/"name":"nodes","status":"degraded"/.test(health()), '/health reports the stopped node', health());
  shell('docker compose up --detach --wait');
  expect(
    isSame(seen(askTenants(keys).answers), own),
    'all tenants find their documents when the node runs again',
  );
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
    console.log(`skipped ${page}: ${code.trim().split('\n')[0]}`);
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

/** Checks that SIGTERM also ends a service whose port is not open yet. Node is process 1 in the container. */
function endsBeforeItsPort() {
  const id = shell(
    `docker run --detach --env DATABASE_URL=postgres://a:b@127.0.0.1:9/c --env JWT_SECRET=$(openssl rand -hex 24) lectern:service`,
  ).trim();
  try {
    expect(
      waitFor(() => shell(`docker logs ${id} 2>&1`), /No database at/),
      'a start retries an unreachable database',
    );
    const seconds = secondsOf(() => shell(`docker stop --time 30 ${id}`));
    const code = shell(`docker inspect --format '{{.State.ExitCode}}' ${id}`).trim();
    expect(
      code === '143' && Number(seconds) < 15,
      `SIGTERM ends the start (${seconds} s, exit code ${code})`,
    );
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
    `Nothing was done: volumes of ${PROJECTS.join(' or ')} exist on this machine and may contain data`,
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
  expect(key === again && key.startsWith('ey'), 'the key is the same after the second run');
  shell('docker compose down');
  figures.push(
    `figures: ${secondsOf(() => shell('docker compose up --detach --wait'))} s from "up" until service and database are healthy`,
  );
  expect(
    shell('docker compose exec lectern cat /data/api-key').trim() === key,
    'the key is the same after down and up',
  );
  measure();
  for (const page of values.page) for (const code of commandsOf(page)) runCommand(page, code);
  const host = shell('docker compose exec -T lectern getent hosts host.docker.internal');
  expect(/^[\d.]+ /.test(host), 'the container resolves host.docker.internal', host);
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
