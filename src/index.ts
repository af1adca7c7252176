/**
 * Exports what commands need if they do not start the server: settings, addresses, permissions, errors. Every command
 * imports this file, so it must load quickly. `parts.ts` exports the components of the server.
 */
export { AUDIT_EVENTS, type AuditEvent } from './auth/audit/audit-events.js';
export { isNetwork } from './auth/networks.js';
export { DEFAULT_TENANT, isPermission, PERMISSIONS, type Permission } from './auth/scope.js';
export { localUrl } from './config/local-url.js';
export { packageRoot } from './config/package-root.js';
export { ConfigurationError, readSettings } from './config/read-settings.js';
export { definition, type Settings } from './config/settings.js';
export { LecternError, StartRefused } from './errors/index.js';
export { FolderInUse } from './database/lock/directory-lock.js';
export { printedRelease } from './database/release.js';
export { isReservedKey } from './metadata/typed-metadata.js';
export { listenForStopSignals } from './stop-signals.js';
