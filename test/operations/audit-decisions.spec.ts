import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AUDIT_EVENTS } from '../../src/auth/audit/audit-events.js';
import { describedRoutes } from '../support/described-routes.js';
import { NOT_RECORDED } from './audit-decisions.js';

const routes = describedRoutes().map((route) => ({ ...route, name: `${route.method} ${route.path}` }));

describe('the audit log', () => {
  it('has a decision on every route that may change something: an event, or a reason for none', () => {
    const undecided = routes
      .filter(({ method, audit, name }) => method !== 'GET' && audit === null && !(name in NOT_RECORDED))
      .map(({ name }) => name);
    expect(undecided).toEqual([]);
  });

  it('has no reason for a route that is recorded or that does not exist', () => {
    const unrecorded = routes.filter(({ audit }) => audit === null).map(({ name }) => name);
    expect(Object.keys(NOT_RECORDED).filter((name) => !unrecorded.includes(name))).toEqual([]);
  });

  it('records all deletions but the withdrawal of an own rating', () => {
    const unrecorded = routes.filter(({ method, audit }) => method === 'DELETE' && audit === null);
    expect(unrecorded.map(({ name }) => name)).toEqual([
      'DELETE /chat/{chat_id}/messages/{message_index}/feedback',
    ]);
  });

  it('knows no event of a route that no route has', () => {
    const recorded = new Set(routes.map(({ audit }) => audit));
    const ofRoutes = Object.entries(AUDIT_EVENTS)
      .filter(([, { writtenBy }]) => (writtenBy as readonly string[]).includes('route'))
      .map(([event]) => event);
    expect(ofRoutes.filter((event) => !recorded.has(event))).toEqual([]);
  });

  it('is described by a page that lists every event as the code does', () => {
    const page = readFileSync(join(__dirname, '../../docs/reference/audit-events.md'), 'utf8');
    const rows = Object.entries(AUDIT_EVENTS).map(
      ([event, { means, carries }]) => `| \`${event}\` | ${means} | ${carries} |`,
    );
    expect(page.split('\n').filter((line) => line.startsWith('| `'))).toEqual(rows);
  });
});
