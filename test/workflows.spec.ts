import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<
    Record<string, { readonly steps: readonly Step[]; readonly 'timeout-minutes'?: number }>
  >;
}

const FOLDER = '.github/workflows';
const scripts = (JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> })
  .scripts;
const compose = parse(readFileSync('docker-compose.yml', 'utf8')) as {
  services: Record<string, { image?: string }>;
};

describe.each(readdirSync(FOLDER))('the workflow %s', (name) => {
  const text = readFileSync(join(FOLDER, name), 'utf8');
  const workflow = parse(text) as Workflow;
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

  it('may only read unless a job says more', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
  });

  it('pins every action by its commit and names the version', () => {
    const used = [...text.matchAll(/uses: (.*)$/gm)].map(([, action]) => action);
    expect(used.length).toBeGreaterThan(0);
    expect(
      used.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action ?? '')),
    ).toEqual([]);
  });

  it('leaves no credentials in the checkout and no job without a limit of time', () => {
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    expect(checkouts.map((step) => step.with?.['persist-credentials'])).toEqual(checkouts.map(() => false));
    expect(Object.values(workflow.jobs).every((job) => Number(job['timeout-minutes']) > 0)).toBe(true);
  });

  it('runs what is there', () => {
    const commands = steps.map(({ run }) => run ?? '').join('\n');
    const named = [...commands.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, script]) => script ?? '');
    expect(named.filter((script) => !(script in scripts))).toEqual([]);
    expect(existsSync('.ci/run')).toBe(true);
  });

  it('ends what it starts', () => {
    const demos = steps.flatMap(({ run = '' }) => run.match(/npm run demo.*/g) ?? []);
    expect(demos.filter((command) => !command.includes('-- --once'))).toEqual([]);
  });

  it('names the repository before it publishes with a provenance', () => {
    const commands = steps.map(({ run = '' }) => run);
    const publishes = commands.findIndex((command) => command.includes('--provenance'));
    const names = commands.findIndex((command) => /npm pkg set .*repository\.url=/.test(command));
    expect(publishes === -1 || (names !== -1 && names < publishes)).toBe(true);
  });

  it('puts no text that others write into a shell', () => {
    expect(steps.filter(({ run }) => run?.includes('${{'))).toEqual([]);
  });

  it('uses the database of the stack', () => {
    const images = [...text.matchAll(/image: (.*)$/gm)].map(([, image]) => image);
    expect(images.filter((image) => image !== compose.services['postgres']?.image)).toEqual([]);
  });
});
