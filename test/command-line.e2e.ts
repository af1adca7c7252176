import { readFileSync } from 'node:fs';
import { ServiceProcess, type Ended } from './support/process.js';

jest.setTimeout(120_000);

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };

const COMMANDS = [
  'serve',
  'demo',
  'ingest',
  'ask',
  'search',
  'eval',
  'keys',
  'import',
  'mcp',
  'doctor',
  'reindex',
  'start',
];

describe('lectern', () => {
  const lectern = (...args: string[]): Promise<Ended> =>
    ServiceProcess.spawn({}, 'dist/cli/lectern.js', args).end();

  it('lists its commands, and refuses another one', async () => {
    const help = await lectern('--help');
    expect(help.code).toBe(0);
    expect([...help.output.matchAll(/^ {2}(\w+) +\S/gm)].map(([, name]) => name).sort()).toEqual(
      [...COMMANDS].sort(),
    );
    const wrong = await lectern('sarch');
    expect([wrong.code, wrong.output.split('\n')[0]]).toEqual([1, 'unknown command "sarch"']);
  });

  it.each(COMMANDS)('%s has a usage and a version', async (command) => {
    const help = await lectern(command, '--help');
    expect([help.code, help.output]).toEqual([0, expect.stringMatching(/^Usage:\s+lectern /)]);
    expect(help.output).toContain(`lectern ${command}`);
    expect(help.output).toMatch(/^ +--help /m);
    const told = await lectern(command, '--version');
    expect([told.code, told.output]).toEqual([0, version]);
  });

  it.each(COMMANDS)('%s refuses a flag that it does not know, and does nothing', async (command) => {
    const { code, output } = await lectern(command, '--wrong');
    expect(code).toBe(1);
    const [first, ...usage] = output.split('\n');
    expect(first).toMatch(/^Unknown option '--wrong'/);
    expect(usage.join('\n')).toMatch(new RegExp(`^\\nUsage:\\s+lectern ${command}`));
  });
});
