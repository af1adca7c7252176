import { Unauthorized } from '../errors/index.js';

/** A short-lived token has reached its end. Its holder may have another one, unlike after a revocation. */
export class ExpiredToken extends Unauthorized {}
