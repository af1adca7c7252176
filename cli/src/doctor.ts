import { ConfigurationError, definition, readSettings } from '../../src/index.js';
import { parseCommandLine } from './command.js';
import { fail, findingOf, ok, type Check, type Finding } from './doctor/finding.js';
import { runningService } from './doctor/running-service.js';

export const USAGE = `Usage: lectern doctor

Looks at everything that the service needs here, with the settings that it would start with, and prints a line for each:
ok, warn (something works less well) or fail (the service does not start, or not everything works), with what mends it.
It changes nothing but a probe that it writes to the store of files and removes; an embedded database that no service
holds is opened for a moment. It ends with 1 when something fails.

  --help                this
  --version             which Lectern this is

Settings are environment variables, such as DATA_DIR, PORT and DATABASE_URL (docs/reference/settings.md).`;

/** `lectern doctor`: a line for everything that the service needs. */
export async function run(args: readonly string[]): Promise<void> {
  parseCommandLine({ args: [...args], options: {} });
  const { nodeCheck } = await import('./doctor/machine-checks.js');
  const redact = withoutSecretsOf(process.env);
  const findings: Finding[] = [];
  const tell = (name: string, finding: Finding): void => {
    findings.push(finding);
    console.log(redact(`${finding.state.padEnd(4)}  ${name.padEnd(15)}  ${finding.sentence}`));
  };
  tell(nodeCheck.name, await findingOf(nodeCheck));
  for (const check of await settingsChecks(tell)) tell(check.name, await findingOf(check));
  const count = (state: Finding['state']): number => findings.filter((one) => one.state === state).length;
  console.log(`\n${count('ok')} ok, ${count('warn')} to look at, ${count('fail')} failed`);
  // What did not answer in time may keep the process alive.
  process.exit(count('fail') > 0 ? 1 : 0);
}

/** What depends on the settings; nothing when they cannot be read, which is told. */
async function settingsChecks(tell: (name: string, finding: Finding) => void): Promise<Check[]> {
  try {
    const settings = readSettings(process.env);
    tell('settings', ok('read and valid'));
    const { machineChecks } = await import('./doctor/machine-checks.js');
    const { partChecks } = await import('./doctor/part-checks.js');
    return [...machineChecks(settings), ...partChecks(settings), runningService(settings)];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    for (const problem of error.problems)
      tell('settings', fail(`${problem}. See docs/reference/settings.md`));
    return [];
  }
}

/** Shorter values are words, and would be found everywhere. */
const SHORTEST_SECRET = 4;

/** A function that takes every secret of the environment, and the password of a URL in it, out of a text. */
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
