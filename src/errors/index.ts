export * from './deadline.js';
export * from './invalid.js';
export * from './lectern-error.js';
export * from './linked-abort.js';
export * from './start-refused.js';
