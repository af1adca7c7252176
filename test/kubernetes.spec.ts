import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

const FOLDER = 'deploy/kubernetes';

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly automountServiceAccountToken: boolean;
        readonly securityContext: Readonly<Record<string, unknown>>;
        readonly containers: readonly {
          readonly env: readonly { readonly name: string; readonly value: string }[];
          readonly startupProbe: Probe;
          readonly livenessProbe: Probe;
          readonly readinessProbe?: Probe;
          readonly securityContext: Readonly<Record<string, unknown>>;
          readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
        }[];
      };
    };
  };
}

const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');
const listed = (parse(read('kustomization.yaml')) as { resources: string[] }).resources;
const manifests = listed.flatMap((name) =>
  parseAllDocuments(read(name)).map((document) => document.toJS() as Manifest),
);
const deployments = manifests.filter(({ kind }) => kind === 'Deployment');
const settings = readFileSync('.env.example', 'utf8');
const paths = Object.keys((JSON.parse(readFileSync('openapi.json', 'utf8')) as { paths: object }).paths);

describe('the manifests for Kubernetes', () => {
  it('are all of those in the folder', () => {
    expect([...listed, 'kustomization.yaml'].sort()).toEqual(readdirSync(FOLDER).sort());
  });

  it('set only what is a setting, and no secret in the open', () => {
    const named = [
      ...manifests.flatMap(({ data = {} }) => Object.keys(data)),
      ...deployments.flatMap(
        ({ spec }) => spec.template.spec.containers[0]?.env.map(({ name }) => name) ?? [],
      ),
    ];
    expect(named.length).toBeGreaterThan(4);
    expect(
      named.filter((name) => !settings.includes(`\n# ${name}=`) && !settings.includes(`\n${name}=`)),
    ).toEqual([]);
    expect(named.filter((name) => /SECRET|KEY|PASSWORD|DATABASE_URL/.test(name))).toEqual([]);
  });

  it.each(deployments.map((manifest) => [manifest.metadata.name, manifest] as const))(
    '%s asks health at paths that are there, and has no more rights than it needs',
    (_, { spec }) => {
      const pod = spec.template.spec;
      const [container] = pod.containers;
      if (container === undefined) throw new Error('a pod without a container');
      const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
      for (const probe of probes.filter((one) => one !== undefined)) {
        expect(paths).toContain(probe.httpGet.path);
      }
      expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels);
      expect(pod.automountServiceAccountToken).toBe(false);
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(container.securityContext).toEqual({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
      // What the container writes to: see the Dockerfile.
      expect(container.volumeMounts.map(({ mountPath }) => mountPath).sort()).toEqual(['/data', '/tmp']);
    },
  );

  it('has one deployment for requests and one for ingestion', () => {
    const workers = deployments.map(({ spec }) => spec.template.spec.containers[0]?.env[0]);
    expect(workers).toEqual([
      { name: 'WORKER', value: 'off' },
      { name: 'WORKER', value: 'only' },
    ]);
  });
});
