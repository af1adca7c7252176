/** Exports the work of the commands that change or check stored data: the server does not import this folder. */
export { type AuditCut, cutAuditLog } from './audit-cut.js';
export { withDeepCheck, type CheckReport } from './deep/deep-check.js';
export { distribute } from './distribute.js';
export { exportTenants, previewRestore, restoreTenants } from './move/move.js';
export { reindex } from './reindex.js';
