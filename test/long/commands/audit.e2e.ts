import { ServiceProcess } from '../../support/process.js';
import { Service } from '../../support/service.js';

describe('lectern audit', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.stop());

  it('is exported as JSON lines, with filters and in pages', async () => {
    for (const name of ['a', 'b', 'c']) await service.client.post('/keys', { name, scopes: ['read'] });
    const before = ((await service.client.get('/audit')).json() as { entries: { id: string }[] }).entries;
    expect(before.length).toBeGreaterThan(2);
    await service.terminate();
    const lectern = (...args: string[]): Promise<{ code: number | null; output: string }> =>
      ServiceProcess.spawn(service.environment, 'dist/cli/lectern.js', args).end();
    const created = await lectern(
      'keys',
      'create',
      '--name',
      'x',
      '--scopes',
      'read',
      '--network',
      '10.0.0.0/8',
    );
    expect(created.code).toBe(0);
    const { output } = await lectern('audit');
    const parsed = (text: string) =>
      text.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
    const lines = parsed(output);
    const ids = lines.map(({ entry_id: id }) => id);
    expect(before.map(({ id }) => id).filter((id) => !ids.includes(id))).toEqual([]);
    expect(lines.at(-1)).toMatchObject({ key_id: 'command line', action: 'key.create', outcome: 'done' });
    expect(lines.at(-1)?.['subject']).toMatch(/ x scopes=read person=none$/);

    const page = parsed((await lectern('audit', '--export', '--event', 'key.create', '--limit', '2')).output);
    expect(page.map((line) => Object.keys(line)[0])).toEqual(['position', 'position', 'head', 'end']);
    const { next } = page.at(-1)?.['end'] as { next: string };
    const rest = parsed(
      (await lectern('audit', '--export', '--event', 'key.create', '--after', next)).output,
    );
    const made = lines.filter(({ action }) => action === 'key.create').map(({ entry_id: id }) => id);
    const exported = [...page, ...rest].flatMap(({ entry }) => (entry === undefined ? [] : [entry]));
    expect((exported as { entry_id: string }[]).map(({ entry_id: id }) => id)).toEqual(made);
    expect(rest.at(-1)).toEqual({ end: { entries: made.length - 2, next: null } });
    const whole = parsed((await lectern('audit', '--export', '--until', '2100-01-01')).output);
    const last = whole.findLast(({ entry }) => entry !== undefined);
    expect(whole.find(({ head }) => head !== undefined)).toEqual({
      head: { app_id: 'default', position: last?.['position'], hash: last?.['hash'] },
    });
    expect((await lectern('audit', '--event', 'nothing')).code).toBe(1);
    const checked = await lectern('doctor', '--deep');
    expect(checked.output).toMatch(/^ok .*audit log/m);
    expect((await lectern('audit', '--app', 'nobody')).output).toBe('');
    expect((await lectern('audit', '--since', 'soon')).code).toBe(1);
  });
});
