export * from './invalid.js';
export * from './lectern-error.js';
export * from './start-refused.js';
