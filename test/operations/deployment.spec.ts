import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

/**
 * What users of the stack, the image, the manifests and the workflows rely on, across files. Whether each file is well
 * formed is the linters' business (`npm run lint:deploy`: dclint, actionlint).
 */
interface Service {
  readonly image?: string;
  readonly build?: object;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly read_only?: boolean;
  readonly mem_limit?: string;
  readonly logging?: { readonly options: Readonly<Record<string, string>> };
  readonly profiles?: readonly string[];
  readonly command?: readonly string[];
  readonly healthcheck?: object;
  readonly depends_on?: Readonly<Record<string, object>>;
}

interface Manifest {
  readonly kind: string;
  readonly spec: {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly containers: readonly [Container];
        readonly topologySpreadConstraints?: readonly object[];
      };
    };
  };
}

interface Container {
  readonly envFrom: readonly object[];
  readonly env: readonly { readonly name: string }[];
  readonly ports: readonly { readonly containerPort: number }[];
  readonly securityContext: Readonly<Record<string, unknown>>;
}

interface Probe {
  readonly periodSeconds: number;
  readonly failureThreshold: number;
}

const read = (path: string): string => readFileSync(path, 'utf8');
const compose = read('docker-compose.yml');
const stack = parse(compose, { merge: true }) as { readonly services: Readonly<Record<string, Service>> };
const services = Object.entries(stack.services);
/** Where no other is chosen. */
const imageOfPostgres = /:-(.+)\}$/.exec(stack.services['postgres']?.image ?? '')?.[1];
const dockerfile = read('Dockerfile').replaceAll(/\\\n/g, ' ');
const named = new Set(
  [...read('.env.example').matchAll(/^(?:# )?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name),
);
const paths = Object.keys((JSON.parse(read('openapi.json')) as { paths: object }).paths);
const isSecret = (name: string): boolean => /SECRET|PASSWORD|KEY|TOKEN|DATABASE_URL/.test(name);

describe('the compose stack', () => {
  it('sets only what is a setting, and every secret from outside, without a default', () => {
    const environment = Object.entries(stack.services['lectern']?.environment ?? {});
    expect(environment.map(([name]) => name).filter((name) => !named.has(name))).toEqual([]);
    const secrets = services.flatMap(([, service]) =>
      Object.entries(service.environment ?? {}).filter(([name]) => isSecret(name)),
    );
    expect([...new Set(secrets.map(([name]) => name))]).toEqual([
      'POSTGRES_PASSWORD',
      'PGPASSWORD',
      'DATABASE_URL',
      'JWT_SECRET',
    ]);
    expect(secrets.filter(([, value]) => !/\$\{[A-Z_]+:\?/.test(value))).toEqual([]);
    const withDefault = [...compose.matchAll(/\$\{([A-Z_]+)(?!:\?)[^A-Z_]/g)].map(([, name]) => name ?? '');
    expect(withDefault.filter(isSecret)).toEqual([]);
    // Whoever scales it or runs a second stack needs them.
    expect(new Set(withDefault)).toEqual(
      new Set(['LECTERN_TARGET', 'LECTERN_MEMORY', 'POSTGRES_MEMORY', 'POSTGRES_IMAGE', 'LECTERN_PORT']),
    );
  });

  it('bounds the memory and the log of the service and its database', () => {
    const bounded = services.filter(([name]) => name !== 'ollama');
    expect(bounded.filter(([, { mem_limit }]) => mem_limit === undefined)).toEqual([]);
    expect(services.map(([, { logging }]) => logging?.options)).toEqual(
      services.map(() => ({ 'max-size': '20m', 'max-file': '5' })),
    );
  });

  it('has workers, which are the service but for their setting', () => {
    const { lectern, worker } = stack.services;
    expect(worker?.environment).toEqual({ ...lectern?.environment, WORKER: 'only' });
    expect({ ...worker, environment: null }).toEqual({
      ...lectern,
      environment: null,
      ports: undefined,
      profiles: ['worker'],
    });
  });

  it('publishes the port of the image on the loopback address, and nothing else', () => {
    const port = /^EXPOSE (\d+)$/m.exec(dockerfile)?.[1] ?? '';
    expect(services.flatMap(([, { ports = [] }]) => ports)).toEqual([
      `127.0.0.1:\${LECTERN_PORT:-${port}}:${port}`,
    ]);
    expect(stack.services['lectern']?.environment?.['PORT']).toBe(port);
  });

  it('gives no service a capability, and the service a read-only file system', () => {
    const privileges = services.map(([, { cap_drop, security_opt }]) => ({ cap_drop, security_opt }));
    const none = { cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] };
    expect(privileges).toEqual(services.map(() => none));
    expect(stack.services['lectern']?.read_only).toBe(true);
  });

  it('pins every image that it does not build, and a pgvector of 0.8 or later', () => {
    const images = services.flatMap(([, { build, image }]) => (build === undefined ? [image] : []));
    const [citus] = /citusdata.+/.exec(read('deploy/citus/Dockerfile')) ?? [];
    expect([...images, citus].filter((image) => !/:\d+\.\d+\.\d+/.test(image ?? ''))).toEqual([]);
    expect(imageOfPostgres).toMatch(/^pgvector\/pgvector:0\.([89]|\d\d)\./);
  });

  it('has the nodes of a cluster, which its command knows, beside the database and only where they are wanted', () => {
    const { postgres, lectern, distribute, ...others } = stack.services;
    const nodes = Object.entries(others).filter(([, { image }]) => image === 'lectern-citus');
    expect(nodes.map(([name]) => name)).toEqual(['node1', 'node2']);
    for (const [name, node] of nodes) {
      expect(distribute?.command).toContain(`${name}:5432`);
      expect(node.profiles).toEqual(['citus']);
      expect([node.environment, node.healthcheck]).toEqual([postgres?.environment, postgres?.healthcheck]);
    }
    expect(distribute?.profiles).toEqual(['citus']);
    expect(Object.keys(distribute?.depends_on ?? {})).toEqual(['node1', 'node2', 'postgres']);
    expect(lectern?.depends_on?.['distribute']).toEqual({
      condition: 'service_completed_successfully',
      required: false,
    });
  });
});

describe('the image', () => {
  it('is copied from what is there and what .dockerignore lets through', () => {
    const allowed = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path]) => path);
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+)$/gm)]
      .flatMap(([, rest = '']) => rest.split(' ').slice(0, -1))
      .map((path) => path.replace(/^\.\//, ''));
    expect(copied.filter((path) => !existsSync(path))).toEqual([]);
    expect([...new Set(copied)].sort()).toEqual(allowed.sort());
  });

  it('runs as an ordinary user whatever target is built, and asks for its health at a path that is there', () => {
    const users = dockerfile
      .split(/^FROM /m)
      .flatMap((stage) => [...stage.matchAll(/^USER (.+)$/gm)].at(-1)?.[1] ?? []);
    expect(users).toEqual(['node', 'node']);
    const asked = /HEALTHCHECK[^\n]*?(\/health[a-z/]*)/.exec(dockerfile)?.[1];
    expect(paths).toContain(asked);
  });

  it('has the commands on its PATH', () => {
    const { bin } = JSON.parse(read('package.json')) as { bin: { lectern: string } };
    expect(dockerfile).toContain(`ln -s /app/${bin.lectern} /usr/local/bin/lectern`);
    expect(dockerfile).toContain(`chmod +x ${bin.lectern}`);
  });
});

describe('the manifests for Kubernetes', () => {
  const folder = 'deploy/kubernetes';
  const kustomized = (path: string) =>
    parse(read(join(folder, path, 'kustomization.yaml'))) as {
      readonly resources: readonly string[];
      readonly components: readonly string[];
    };
  const manifestsOf = (path: string): Manifest[] =>
    kustomized(path).resources.flatMap((name) =>
      parseAllDocuments(read(join(folder, path, name)), { merge: true }).map(
        (document) => document.toJS() as Manifest,
      ),
    );
  const installation = parse(read(join(folder, 'installation/kustomization.yaml'))) as {
    readonly images: readonly { readonly newTag: string }[];
    readonly configMapGenerator: readonly { readonly name: string; readonly envs: readonly string[] }[];
  };
  const service = manifestsOf('');
  const manifests = [...service, ...manifestsOf('migrate'), ...manifestsOf('distribute')];
  const deployments = service.filter(({ kind }) => kind === 'Deployment');
  const workloads = [...deployments, ...manifests.filter(({ kind }) => kind === 'Job')];
  const containers = deployments.map(({ spec }) => spec.template.spec.containers[0]);

  it('are all of those in the folder, on one installation with the version of the package', () => {
    const { resources, components } = kustomized('');
    expect([...resources, ...components, 'migrate', 'distribute', 'kustomization.yaml'].sort()).toEqual(
      readdirSync(folder).sort(),
    );
    expect(components).toEqual(['installation']);
    for (const job of ['migrate', 'distribute']) {
      expect(kustomized(job).components).toEqual(['../installation']);
    }
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(installation.images.map(({ newTag }) => newTag)).toEqual([version]);
  });

  it('read settings under a name that changes with them', () => {
    expect(installation.configMapGenerator).toEqual([{ name: 'lectern', envs: ['settings.env'] }]);
    const from = [{ configMapRef: { name: 'lectern' } }, { secretRef: { name: 'lectern' } }];
    expect(workloads.map(({ spec }) => spec.template.spec.containers[0].envFrom)).toEqual(
      workloads.map(() => from),
    );
  });

  it('set only what is a setting, and no secret in the open', () => {
    const set = [
      ...[...read(join(folder, 'installation/settings.env')).matchAll(/^(\w+)=/gm)].map(
        ([, name = '']) => name,
      ),
      ...containers.flatMap(({ env }) => env.map(({ name }) => name)),
    ];
    expect(set).toContain('WORKER');
    expect(set.filter((name) => !named.has(name) || isSecret(name))).toEqual([]);
  });

  it('ask for health at paths that are there, at the port of the image', () => {
    const asked = [...JSON.stringify(containers).matchAll(/"path":"([^"]+)"/g)].map(([, path]) => path);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((path) => !paths.includes(path ?? ''))).toEqual([]);
    const ports = containers.flatMap(({ ports }) => ports.map(({ containerPort }) => containerPort));
    expect(ports).toEqual(containers.map(() => Number(/^EXPOSE (\d+)$/m.exec(dockerfile)?.[1])));
  });

  it('give a start the time of a long migration', () => {
    const probes = deployments.map(
      ({ spec }) => (spec.template.spec.containers[0] as unknown as { startupProbe: Probe }).startupProbe,
    );
    expect(probes.map(({ periodSeconds, failureThreshold }) => periodSeconds * failureThreshold)).toEqual([
      7_200, 7_200,
    ]);
    expect(dockerfile).toContain('--start-period=2h ');
  });

  it('select their own pods, which have no more rights than they need', () => {
    expect(deployments).toHaveLength(2);
    for (const { spec } of deployments) {
      // Selectors cannot be changed later: they name the application from the start.
      expect(Object.keys(spec.selector.matchLabels).sort()).toEqual([
        'app.kubernetes.io/component',
        'app.kubernetes.io/name',
      ]);
      expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
      expect(spec.template.spec.topologySpreadConstraints).toMatchObject([{ labelSelector: spec.selector }]);
    }
    expect(workloads).toHaveLength(4);
    for (const { spec } of workloads) {
      expect(spec.template.metadata.labels['app.kubernetes.io/name']).toBe('lectern');
      expect(spec.template.spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true },
      });
    }
    for (const { spec } of workloads) {
      const { securityContext } = spec.template.spec.containers[0];
      expect(securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
    }
  });
});

describe.each(readdirSync('.github/workflows'))('the workflow %s', (name) => {
  const text = read(join('.github/workflows', name));

  it('pins every action by its commit, and may only read unless a job says more', () => {
    const used = [...text.matchAll(/uses: (.*)$/gm)].map(([, action]) => action ?? '');
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual(
      [],
    );
    expect((parse(text) as { permissions: object }).permissions).toEqual({ contents: 'read' });
  });

  it('runs scripts that are there, on the database of the stack', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const run = [...text.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, script]) => script ?? '');
    expect(run.filter((script) => !(script in scripts))).toEqual([]);
    const images = [...text.matchAll(/image: (.*)$/gm)].map(([, image]) => image);
    expect(images.filter((image) => image !== imageOfPostgres)).toEqual([]);
  });
});
