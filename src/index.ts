/**
 * What the commands beside the server know of it without starting anything: its settings, where it is, what it may refuse.
 * Loaded by every command, so it stays light; the parts that do work are in `parts.ts`.
 */
export { DEFAULT_TENANT, isPermission, PERMISSIONS, type Permission } from './auth/scope.js';
export { localUrl } from './config/local-url.js';
export { packageRoot, VERSION } from './config/package-root.js';
export { ConfigurationError, readSettings } from './config/read-settings.js';
export { definition, type Settings } from './config/settings.js';
export { LecternError, StartRefused } from './errors/index.js';
export { isReservedKey } from './metadata/typed-metadata.js';
export { listenForStopSignals } from './stop-signals.js';
