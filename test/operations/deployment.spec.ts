import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

/**
 * Properties across files that users of the stack, the image, the manifests and the workflows rely on.
 * Linters check each file alone (`npm run lint`: dclint, actionlint).
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
    readonly strategy?: object;
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
/** The default image. */
const imageOfPostgres = /:-(.+)\}$/.exec(stack.services['postgres']?.image ?? '')?.[1];
const dockerfile = read('Dockerfile').replaceAll(/\\\n/g, ' ');
const named = new Set(
  [...read('.env.example').matchAll(/^(?:# )?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name),
);
const paths = Object.keys((JSON.parse(read('openapi.json')) as { paths: object }).paths);
const isSecret = (name: string): boolean => /SECRET|PASSWORD|KEY|TOKEN|DATABASE_URL/.test(name);

describe('the compose stack', () => {
  it('passes known settings only, and every secret from outside, without a default', () => {
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
    // Needed to scale the stack or to run a second one.
    expect(new Set(withDefault)).toEqual(
      new Set(['LECTERN_TARGET', 'LECTERN_MEMORY', 'POSTGRES_MEMORY', 'POSTGRES_IMAGE', 'LECTERN_PORT']),
    );
  });

  it('limits memory and logs of the service and its database', () => {
    const bounded = services.filter(([name]) => name !== 'ollama');
    expect(bounded.filter(([, { mem_limit }]) => mem_limit === undefined)).toEqual([]);
    expect(services.map(([, { logging }]) => logging?.options)).toEqual(
      services.map(() => ({ 'max-size': '20m', 'max-file': '5' })),
    );
  });

  it('has workers that differ from the service in their setting only', () => {
    const { lectern, worker } = stack.services;
    expect(worker?.environment).toEqual({ ...lectern?.environment, WORKER: 'only' });
    expect({ ...worker, environment: null }).toEqual({
      ...lectern,
      environment: null,
      ports: undefined,
      profiles: ['worker'],
    });
  });

  it('publishes only the port of the image, on the loopback address', () => {
    const port = /^EXPOSE (\d+)$/m.exec(dockerfile)?.[1] ?? '';
    expect(services.flatMap(([, { ports = [] }]) => ports)).toEqual([
      `127.0.0.1:\${LECTERN_PORT:-${port}}:${port}`,
    ]);
    expect(stack.services['lectern']?.environment?.['PORT']).toBe(port);
  });

  it('drops all capabilities, and gives the service a read-only file system', () => {
    const privileges = services.map(([, { cap_drop, security_opt }]) => ({ cap_drop, security_opt }));
    const none = { cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] };
    expect(privileges).toEqual(services.map(() => none));
    expect(stack.services['lectern']?.read_only).toBe(true);
  });

  it('pins every image that it does not build, with pgvector 0.8 or later', () => {
    const images = services.flatMap(([, { build, image }]) => (build === undefined ? [image] : []));
    const [citus] = /citusdata.+/.exec(read('deploy/citus/Dockerfile')) ?? [];
    expect([...images, citus].filter((image) => !/:\d+\.\d+\.\d+/.test(image ?? ''))).toEqual([]);
    expect(imageOfPostgres).toMatch(/^pgvector\/pgvector:0\.([89]|\d\d)\./);
  });

  it('has the cluster nodes that its command names, only in the profile of the cluster', () => {
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
  it('copies existing files that .dockerignore includes', () => {
    const allowed = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path]) => path);
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+)$/gm)]
      .flatMap(([, rest = '']) => rest.split(' ').slice(0, -1))
      .map((path) => path.replace(/^\.\//, ''));
    expect(copied.filter((path) => !existsSync(path))).toEqual([]);
    expect([...new Set(copied)].sort()).toEqual(allowed.sort());
  });

  it('runs as an unprivileged user in every target, with a health check of an existing path', () => {
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

  it('are complete in the kustomization, with the version of the package', () => {
    const { resources, components } = kustomized('');
    const apart = ['migrate', 'distribute', 'monitoring', 'kustomization.yaml'];
    expect([...resources, ...components, ...apart].sort()).toEqual(readdirSync(folder).sort());
    expect(components).toEqual(['installation']);
    for (const job of ['migrate', 'distribute']) {
      expect(kustomized(job).components).toEqual(['../installation']);
    }
    const { version } = JSON.parse(read('package.json')) as { version: string };
    // Nodes do not pull a tag again, so the tag of a build names its commit.
    const [tag = ''] = installation.images.map(({ newTag }) => newTag);
    expect(/^(.+)-[0-9a-f]{7}$/.exec(tag)?.[1]).toBe(version);
  });

  it('replace pods one after the other for a setting, and stop all of Lectern only for a new version', () => {
    for (const { spec } of deployments) {
      expect(spec.strategy).toEqual({
        type: 'RollingUpdate',
        rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
      });
    }
    const [, selector] =
      /kubectl wait --for=delete pod --selector '([^']+)'/.exec(read('docs/operate/deploy.md')) ?? [];
    expect(selector).toBe('app.kubernetes.io/name=lectern,app.kubernetes.io/component in (api, worker)');
  });

  it('have the alert rules as a resource of the operator, and scrape the pods of the service', () => {
    const rules = parse(read('deploy/prometheus/lectern.rules.yml')) as object;
    expect(parse(read(join(folder, 'monitoring/rules.yaml')))).toMatchObject({
      kind: 'PrometheusRule',
      spec: rules,
    });
    const [named, monitor] = parseAllDocuments(read(join(folder, 'monitoring/service-monitor.yaml'))).map(
      (document) =>
        document.toJS() as { metadata: { labels: object }; spec: { selector: object; endpoints: object[] } },
    );
    for (const { spec } of deployments) {
      expect(spec.template.metadata.labels).toMatchObject(named?.spec.selector ?? {});
    }
    expect(monitor?.spec.selector).toEqual({ matchLabels: named?.metadata.labels });
    expect(monitor?.spec.endpoints).toMatchObject([{ port: 'http', path: '/metrics' }]);
    expect(paths).toContain('/metrics');
  });

  it('change the name of the config map when a setting changes', () => {
    expect(installation.configMapGenerator).toEqual([{ name: 'lectern', envs: ['settings.env'] }]);
    const from = [{ configMapRef: { name: 'lectern' } }, { secretRef: { name: 'lectern' } }];
    expect(workloads.map(({ spec }) => spec.template.spec.containers[0].envFrom)).toEqual(
      workloads.map(() => from),
    );
  });

  it('pass known settings only, and no plain secret', () => {
    const set = [
      ...[...read(join(folder, 'installation/settings.env')).matchAll(/^(\w+)=/gm)].map(
        ([, name = '']) => name,
      ),
      ...containers.flatMap(({ env }) => env.map(({ name }) => name)),
    ];
    expect(set).toContain('WORKER');
    expect(set.filter((name) => !named.has(name) || isSecret(name))).toEqual([]);
  });

  it('probe existing paths on the port of the image', () => {
    const asked = [...JSON.stringify(containers).matchAll(/"path":"([^"]+)"/g)].map(([, path]) => path);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((path) => !paths.includes(path ?? ''))).toEqual([]);
    const ports = containers.flatMap(({ ports }) => ports.map(({ containerPort }) => containerPort));
    expect(ports).toEqual(containers.map(() => Number(/^EXPOSE (\d+)$/m.exec(dockerfile)?.[1])));
  });

  it('allow a start the time of a long migration', () => {
    const probes = deployments.map(
      ({ spec }) => (spec.template.spec.containers[0] as unknown as { startupProbe: Probe }).startupProbe,
    );
    expect(probes.map(({ periodSeconds, failureThreshold }) => periodSeconds * failureThreshold)).toEqual([
      7_200, 7_200,
    ]);
    expect(dockerfile).toContain('--start-period=2h ');
  });

  it('select their own pods, which run with least privilege', () => {
    expect(deployments).toHaveLength(2);
    for (const { spec } of deployments) {
      // Selectors are immutable, so they contain the application's name from the start.
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

describe('the unit for systemd', () => {
  const file = 'deploy/systemd/lectern.service';
  const unit = read(file);
  const documented = read('docs/operate/deploy.md');

  it('runs the installed command with the file of settings that the page writes', () => {
    const program = /^ExecStart=\S+ (\S+) start$/m.exec(unit)?.[1] ?? '';
    expect(program).toMatch(/^\/opt\/lectern\/node_modules\/\.bin\/\w+$/);
    expect(documented).toContain(`${program} doctor`);
    const settings = /^EnvironmentFile=(\S+)$/m.exec(unit)?.[1] ?? '';
    expect(documented).toContain(`> ${settings})`);
    const page = /## systemd\n([^]*?)\n## /.exec(documented)?.[1] ?? '';
    const set = [...page.matchAll(/\b([A-Z]+(?:_[A-Z]+)*)=/g)].map(([, name = '']) => name);
    expect(set).toEqual(expect.arrayContaining(['DATABASE_URL', 'JWT_SECRET', 'DATA_DIR']) as unknown);
    expect(set.filter((name) => !named.has(name) && name !== 'ONNXRUNTIME_NODE_INSTALL')).toEqual([]);
    expect(page).toContain('DATA_DIR=/var/lib/lectern');
    expect(unit).toContain('StateDirectory=lectern');
  });

  it('passes systemd-analyze, where there is one', () => {
    const { error, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
    if (error !== undefined) return;
    // The program is installed elsewhere.
    expect(stderr.split('\n').filter((line) => line.includes('lectern.service'))).toEqual([]);
  });
});

describe.each(readdirSync('.github/workflows'))('the workflow %s', (name) => {
  const text = read(join('.github/workflows', name));

  it('pins every action by commit, with read-only permissions by default', () => {
    const used = [...text.matchAll(/uses: (.*)$/gm)].map(([, action]) => action ?? '');
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual(
      [],
    );
    expect((parse(text) as { permissions: object }).permissions).toEqual({ contents: 'read' });
  });

  it('runs existing scripts, on the database of the stack', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const run = [...text.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, script]) => script ?? '');
    expect(run.filter((script) => !(script in scripts))).toEqual([]);
    const images = [...text.matchAll(/image: (.*)$/gm)].map(([, image = '']) => image);
    expect(
      images.filter((image) => image !== imageOfPostgres && !/^grafana\/grafana:\d+\.\d+\.\d+$/.test(image)),
    ).toEqual([]);
  });
});
