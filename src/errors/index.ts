export * from './deadline.js';
export * from './invalid.js';
export * from './lectern-error.js';
export { missingCase } from './missing-case.js';
export * from './violation.js';
