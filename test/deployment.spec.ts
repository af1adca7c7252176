import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

/**
 * What users of the stack, the image, the manifests and the workflows rely on, across files. Whether each file is well
 * formed is the linters' business (`npm run lint:deploy`: dclint, actionlint).
 */
interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly read_only?: boolean;
}

interface Manifest {
  readonly kind: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: { readonly containers: readonly [Container] };
    };
  };
}

interface Container {
  readonly env: readonly { readonly name: string }[];
  readonly ports: readonly { readonly containerPort: number }[];
  readonly securityContext: Readonly<Record<string, unknown>>;
}

const read = (path: string): string => readFileSync(path, 'utf8');
const compose = read('docker-compose.yml');
const stack = parse(compose) as { readonly services: Readonly<Record<string, Service>> };
const services = Object.entries(stack.services);
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
    expect(secrets.map(([name]) => name)).toEqual(['POSTGRES_PASSWORD', 'DATABASE_URL', 'JWT_SECRET']);
    expect(secrets.filter(([, value]) => !/\$\{[A-Z_]+:\?/.test(value))).toEqual([]);
    expect(compose.match(/\$\{[A-Z_]+(?!:\?)[^A-Z_]/g)).toBeNull();
  });

  it('publishes the port of the image on the loopback address, and nothing else', () => {
    const port = /^EXPOSE (\d+)$/m.exec(dockerfile)?.[1] ?? '';
    expect(services.flatMap(([, { ports = [] }]) => ports)).toEqual([`127.0.0.1:${port}:${port}`]);
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
    expect(images.filter((image) => !/:\d+\.\d+\.\d+/.test(image ?? ''))).toEqual([]);
    expect(stack.services['postgres']?.image).toMatch(/^pgvector\/pgvector:0\.([89]|\d\d)\./);
  });
});

describe('the image', () => {
  it('is copied from what is there and what .dockerignore lets through', () => {
    const allowed = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path]) => path);
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+)$/gm)]
      .flatMap(([, rest = '']) => rest.split(' ').slice(0, -1))
      .map((path) => path.replace(/^\.\//, ''));
    expect(copied.filter((path) => !existsSync(path))).toEqual([]);
    expect(copied.sort()).toEqual(allowed.sort());
  });

  it('runs as an ordinary user whatever target is built, and asks for its health at a path that is there', () => {
    const users = dockerfile
      .split(/^FROM /m)
      .flatMap((stage) => [...stage.matchAll(/^USER (.+)$/gm)].at(-1)?.[1] ?? []);
    expect(users).toEqual(['node', 'node']);
    const asked = /HEALTHCHECK[^\n]*?(\/health[a-z/]*)/.exec(dockerfile)?.[1];
    expect(paths).toContain(asked);
  });
});

describe('the manifests for Kubernetes', () => {
  const folder = 'deploy/kubernetes';
  const kustomization = parse(read(join(folder, 'kustomization.yaml'))) as {
    readonly resources: readonly string[];
    readonly images: readonly { readonly newTag: string }[];
  };
  const manifests = kustomization.resources.flatMap((name) =>
    parseAllDocuments(read(join(folder, name))).map((document) => document.toJS() as Manifest),
  );
  const deployments = manifests.filter(({ kind }) => kind === 'Deployment');
  const containers = deployments.map(({ spec }) => spec.template.spec.containers[0]);

  it('are all of those in the folder, with the version of the package', () => {
    expect([...kustomization.resources, 'kustomization.yaml'].sort()).toEqual(readdirSync(folder).sort());
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(kustomization.images.map(({ newTag }) => newTag)).toEqual([version]);
  });

  it('set only what is a setting, and no secret in the open', () => {
    const set = [
      ...manifests.flatMap(({ data = {} }) => Object.keys(data)),
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

  it('select their own pods, which have no more rights than they need', () => {
    expect(deployments).toHaveLength(2);
    for (const { spec } of deployments) {
      expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels);
      expect(spec.template.spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true },
      });
    }
    for (const { securityContext } of containers) {
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
    expect(images.filter((image) => image !== stack.services['postgres']?.image)).toEqual([]);
  });
});
