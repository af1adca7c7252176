import { PERMISSIONS, type Scope } from '../auth/scope.js';

/** The scope in which the ingestion worker acts for a tenant. */
export function workerScope(appId: string): Scope {
  return { appId, permissions: new Set(PERMISSIONS), keyId: 'worker' };
}
