import { ProviderFailed } from '../errors/index.js';

/** The provider does not take the response format that was asked for; a plainer one may do. */
export class ResponseFormatRefused extends ProviderFailed {}
