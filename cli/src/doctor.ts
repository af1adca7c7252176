import { ConfigurationError, definition, readSettings } from '../../src/index.js';
import { parseCommandLine, UsageError } from './command.js';
import { deepDoctor } from './doctor/deep.js';
import { fail, findingOf, ok, type Check, type Finding } from './doctor/finding.js';
import { adminKey, runningService } from './doctor/running-service.js';
import { print } from './output.js';

export const USAGE = `Usage: lectern doctor [--deep [--app TENANT] [--json] [--repair [--yes] | --discard]]

Checks everything that the service needs, with the settings of the service, and prints one line per check:
ok, warn (works with restrictions) or fail (the service does not start, or not everything works), with a remedy.
It writes nothing except a probe in the object store, which it removes. If the database is
embedded and no service uses it, the check opens it briefly. The exit code is 1 if a check fails.

With --deep it reads all stored data instead: rows, texts, counts, vectors, indexes, jobs and files. It changes nothing
without --repair. With DATABASE_URL the service may run meanwhile; an embedded database must not be in use.

  --deep                checks every invariant of the stored data
  --app TENANT          checks the data of this tenant only
  --json                prints the results as JSON
  --repair              prints what it would repair, asks, and repairs
  --yes                 repairs without asking
  --discard             deletes the rows and files that repairs have replaced and kept
  --help                prints this help
  --version             prints the version

Settings are environment variables, such as DATA_DIR, PORT and DATABASE_URL (docs/reference/settings.md).`;

const OPTIONS = {
  deep: { type: 'boolean', default: false },
  app: { type: 'string' },
  json: { type: 'boolean', default: false },
  repair: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
  discard: { type: 'boolean', default: false },
} as const;

/** `lectern doctor`: checks all dependencies, or with `--deep` all stored data. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseCommandLine({ args: [...args], options: OPTIONS });
  const redact = withoutSecretsOf(process.env);
  if (!values.deep) {
    const [other] = Object.entries(values).flatMap(([name, value]) => (value === false ? [] : [name]));
    if (other !== undefined) throw new UsageError(`--${other} needs --deep`);
    return shallow(redact);
  }
  if (values.yes && !values.repair) throw new UsageError('--yes needs --repair');
  if (values.discard && values.repair) throw new UsageError('--discard and --repair exclude each other');
  const isSound = await deepDoctor({
    appId: values.app ?? null,
    isRepairing: values.repair,
    isConfirmed: values.yes,
    isJson: values.json,
    isDiscarding: values.discard,
    redact,
  });
  process.exitCode = isSound ? 0 : 1;
}

/** Checks what the service needs to start. */
async function shallow(redact: (text: string) => string): Promise<void> {
  const { nodeCheck } = await import('./doctor/machine-checks.js');
  const findings: Finding[] = [];
  const tell = (name: string, finding: Finding): void => {
    findings.push(finding);
    print(redact(`${finding.state.padEnd(4)}  ${name.padEnd(15)}  ${finding.sentence}`));
  };
  tell(nodeCheck.name, await findingOf(nodeCheck));
  for (const check of await settingsChecks(tell)) tell(check.name, await findingOf(check));
  const count = (state: Finding['state']): number => findings.filter((one) => one.state === state).length;
  print(`\n${count('ok')} ok, ${count('warn')} warnings, ${count('fail')} failed`);
  // A check that timed out may still be running and would keep the process alive.
  process.exit(count('fail') > 0 ? 1 : 0);
}

/**
 * Reads the settings and returns the checks that depend on them. If the settings are invalid, reports this and returns
 * no checks.
 */
async function settingsChecks(tell: (name: string, finding: Finding) => void): Promise<Check[]> {
  try {
    const settings = readSettings(process.env);
    tell('settings', ok('read and valid'));
    const { machineChecks } = await import('./doctor/machine-checks.js');
    const { partChecks } = await import('./doctor/part-checks.js');
    return [
      ...machineChecks(settings),
      ...partChecks(settings),
      runningService(settings),
      adminKey(settings),
    ];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    for (const problem of error.problems)
      tell('settings', fail(`${problem}. See docs/reference/settings.md`));
    return [];
  }
}

/** Minimum length of a value to redact, in characters. A shorter value may be part of an ordinary word. */
const SHORTEST_SECRET = 4;

/** A function that redacts secrets of the environment, including passwords in URLs. */
function withoutSecretsOf(
  environment: Readonly<Record<string, string | undefined>>,
): (text: string) => string {
  const given = Object.entries(definition)
    .filter(([, { secret }]) => secret)
    .map(([name]) => environment[name]?.trim() ?? '');
  const keys = [environment['LECTERN_API_KEY'] ?? '', environment['LECTERN_IMPORT_KEY'] ?? ''];
  const secrets = [...given, ...given.flatMap(passwordsIn), ...keys]
    .filter((value) => value.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((told, value) => told.replaceAll(value, '***'), text);
}

function passwordsIn(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { password } = new URL(text);
  return [password, decodeURIComponent(password)];
}
