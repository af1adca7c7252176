import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly user?: string;
  readonly profiles?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly read_only?: boolean;
  readonly tmpfs?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly privileged?: boolean;
  readonly security_opt?: readonly string[];
}

interface Stack {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const composeText = readFileSync('docker-compose.yml', 'utf8');
const stack = parse(composeText) as Stack;
const services = Object.entries(stack.services);
const lectern = stack.services['lectern']!;
const postgres = stack.services['postgres']!;

/** Instructions of the Dockerfile as [word, rest], continued lines joined, comments left out. */
const instructions = readFileSync('Dockerfile', 'utf8')
  .replaceAll(/\\\n/g, ' ')
  .split('\n')
  .filter((line) => line.trim() !== '' && !line.startsWith('#'))
  .map((line): readonly [string, string] => {
    const [word = '', ...rest] = line.trim().split(/\s+/);
    return [word, rest.join(' ')];
  });
const stages = instructions.reduce<(readonly [string, string])[][]>((found, instruction) => {
  if (instruction[0] === 'FROM') found.push([]);
  found.at(-1)?.push(instruction);
  return found;
}, []);
const of = (stage: readonly (readonly [string, string])[], word: string): string[] =>
  stage.filter(([name]) => name === word).map(([, rest]) => rest);
const stageOf = (name: string): (readonly [string, string])[] =>
  stages.find((stage) => of(stage, 'FROM')[0]?.endsWith(` AS ${name}`))!;
const image = stageOf('service');

/** What stands before the first setting of a file. */
const headOf = (text: string): string => text.slice(0, text.search(/^[^#\n]/m));

describe('docker-compose.yml', () => {
  it('says at its top what it needs, and how a language model is added', () => {
    const head = headOf(composeText);
    // env_file with `required` came with Compose 2.24.0, `--start-interval` of a health check with Engine 25.0.
    expect(composeText).toMatch(/^ +required: false$/m);
    for (const text of [head, readFileSync('README.md', 'utf8')]) {
      expect(text).toContain('Docker Engine 25.0 and Docker Compose 2.24.0, or later');
    }
    expect(headOf(readFileSync('Dockerfile', 'utf8'))).toContain('Docker Engine 25.0 or later');
    for (const [name] of services.filter(([, { profiles }]) => profiles !== undefined)) {
      expect(head).toContain(`docker compose --profile ${name} up`);
    }
  });

  it('runs PostgreSQL with a pinned pgvector of 0.8 or later', () => {
    expect(postgres.image).toMatch(/^pgvector\/pgvector:0\.(8|9)\.\d+-pg\d\d(-[a-z]+)?$/);
  });

  it.each(services.filter(([, service]) => service.build === undefined))(
    'pins the image of %s to a version',
    (_, service) => {
      expect(service.image).toMatch(/:\d+\.\d+\.\d+/);
    },
  );

  it('starts the service only when the database answers', () => {
    expect(postgres.healthcheck?.test).toContain('pg_isready');
    expect(lectern.depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
  });

  it('gives no secret a default value', () => {
    const references = [...composeText.matchAll(/\$\{([A-Z_]+)([^}]*)\}/g)];
    expect(references.map(([, name]) => name)).toEqual(
      expect.arrayContaining(['POSTGRES_PASSWORD', 'JWT_SECRET']),
    );
    for (const [reference, , rest] of references) {
      expect(`${reference} ${rest!.startsWith(':?') ? 'is required' : 'may be empty'}`).toBe(
        `${reference} is required`,
      );
    }
  });

  it('writes no secret into the file', () => {
    for (const [name, service] of services) {
      for (const [variable, value] of Object.entries(service.environment ?? {})) {
        if (!/SECRET|PASSWORD|KEY|TOKEN|DATABASE_URL/.test(variable)) continue;
        expect(`${name}.${variable}=${value}`).toMatch(/\$\{[A-Z_]+:\?/);
      }
    }
  });

  it.each(services)('takes every capability and the way to new privileges from %s', (_, service) => {
    expect(service.cap_drop).toEqual(['ALL']);
    expect(service.cap_add).toBeUndefined();
    expect(service.privileged).toBeUndefined();
    expect(service.security_opt).toContain('no-new-privileges:true');
  });

  it('lets the service write to its data and to memory only', () => {
    expect(lectern.read_only).toBe(true);
    expect(lectern.tmpfs).toEqual(['/tmp']);
    expect(lectern.volumes).toEqual(['data:/data']);
    expect(stack.volumes).toHaveProperty('data');
  });

  it('publishes nothing but the service, on the loopback address', () => {
    const published = services.flatMap(([name, { ports = [] }]) => ports.map((port) => `${name} ${port}`));
    expect(published).toEqual(['lectern 127.0.0.1:8000:8000']);
  });

  it('starts a model server only when asked to', () => {
    const optional = services.filter(([, { profiles }]) => profiles !== undefined).map(([name]) => name);
    expect(optional).toEqual(['ollama']);
    expect(stack.services['ollama']?.profiles).toEqual(['ollama']);
  });
});

describe('Dockerfile', () => {
  it('builds in one stage and runs in another, both from a pinned base', () => {
    for (const name of ['build', 'service'])
      expect(of(stageOf(name), 'FROM')).toEqual([expect.stringMatching(/^node:2[24]-bookworm-slim AS /)]);
  });

  it('makes the service when no target is named', () => {
    expect(stages.at(-1)).toEqual([['FROM', 'service']]);
  });

  it('adds LibreOffice in a target of its own, which runs as the same user', () => {
    const full = stageOf('full');
    expect(of(full, 'FROM')).toEqual(['service AS full']);
    expect(of(full, 'RUN').join()).toMatch(
      /apt-get install -y --no-install-recommends .*libreoffice-writer.*rm -rf \/var\/lib\/apt\/lists/,
    );
    expect(of(full, 'USER')).toEqual(['root', 'node']);
    expect(stages).toHaveLength(4);
  });

  it('installs exactly the locked packages and leaves the development ones behind', () => {
    const [build] = stages;
    expect(of(build!, 'RUN').join('\n')).toMatch(/npm ci[\s\S]*npm run build && npm prune --omit=dev/);
    expect(of(image, 'RUN').join('\n')).not.toMatch(/npm/);
  });

  it('runs as an ordinary user, listening on every address of the container', () => {
    expect(of(image, 'USER')).toEqual(['node']);
    expect(of(image, 'ENV').join(' ')).toContain('HOST=0.0.0.0');
    expect(of(image, 'VOLUME')).toEqual([
      of(image, 'ENV')
        .join(' ')
        .match(/DATA_DIR=(\S+)/)?.[1],
    ]);
  });

  it('asks the service itself whether it is ready', () => {
    expect(of(image, 'HEALTHCHECK').join(' ')).toContain('/health/ready');
    expect(of(image, 'CMD')).toEqual(['["node", "dist/main.js"]']);
  });

  it('copies only what exists and what .dockerignore lets through', () => {
    const allowed = readFileSync('.dockerignore', 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const copied = stages
      .flatMap((stage) => of(stage, 'COPY'))
      .filter((rest) => !rest.startsWith('--from'))
      .flatMap((rest) => rest.split(' ').slice(0, -1))
      .map((path) => path.replace(/^\.\//, ''));
    expect(copied.filter((path) => !existsSync(path))).toEqual([]);
    expect([...copied].sort()).toEqual([...allowed].sort());
  });
});
