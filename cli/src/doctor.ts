import 'reflect-metadata';
import { ConfigurationError, readSettings } from '../../src/config/read-settings.js';
import { parseDoctorCommand, USAGE } from './doctor/doctor-command.js';
import { fail, findingOf, ok, type Check, type Finding } from './doctor/finding.js';
import { machineChecks, nodeCheck } from './doctor/machine-checks.js';
import { partChecks } from './doctor/part-checks.js';
import { runningService } from './doctor/running-service.js';
import { withoutSecretsOf } from './doctor/secrets.js';
import { reportFailure } from './report-failure.js';

/** `lectern doctor`: a line for everything that the service needs. */
async function main(args: readonly string[]): Promise<void> {
  parseDoctorCommand(args);
  const redact = withoutSecretsOf(process.env);
  const findings: Finding[] = [];
  const tell = (name: string, finding: Finding): void => {
    findings.push(finding);
    console.log(redact(`${finding.state.padEnd(4)}  ${name.padEnd(15)}  ${finding.sentence}`));
  };
  tell(nodeCheck.name, await findingOf(nodeCheck));
  for (const check of settingsChecks(tell)) tell(check.name, await findingOf(check));
  const count = (state: Finding['state']): number => findings.filter((one) => one.state === state).length;
  console.log(`\n${count('ok')} ok, ${count('warn')} to look at, ${count('fail')} failed`);
  // What did not answer in time may keep the process alive.
  process.exit(count('fail') > 0 ? 1 : 0);
}

/** What depends on the settings; nothing when they cannot be read, which is told. */
function settingsChecks(tell: (name: string, finding: Finding) => void): Check[] {
  try {
    const settings = readSettings(process.env);
    tell('settings', ok('read and valid'));
    return [...machineChecks(settings), ...partChecks(settings), runningService(settings)];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    for (const problem of error.problems) tell('settings', fail(`${problem}. See docs/configuration.md`));
    return [];
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  reportFailure(error, { usage: USAGE });
});
