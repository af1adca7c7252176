import type { Client } from 'openapi-fetch';
import { answered } from './answer.js';
import type { paths } from './schema.js';
import type {
  BrowserToken,
  CallOptions,
  CreateKeyRequest,
  CreateTokenRequest,
  IssuedKey,
  Key,
  KeyUsage,
  SignInLink,
  Success,
} from './types.js';

interface TenantOptions extends CallOptions {
  /** Another tenant than that of the key, for an administrator of the default one. */
  readonly app_id?: string;
}

/** API keys of a tenant, for administrators. */
export class Keys {
  constructor(private readonly raw: Client<paths>) {}

  /** Newest first, without the keys themselves. */
  list({ signal, ...query }: TenantOptions = {}): Promise<Key[]> {
    return answered(this.raw.GET('/keys', { params: { query }, signal: signal ?? null }));
  }

  /** The key is in this answer and nowhere else. */
  create(request: CreateKeyRequest, { signal }: CallOptions = {}): Promise<IssuedKey> {
    return answered(this.raw.POST('/keys', { body: request, signal: signal ?? null }));
  }

  /** It stops working within a second. */
  revoke(id: string, { signal, ...query }: TenantOptions = {}): Promise<Success> {
    return answered(
      this.raw.DELETE('/keys/{id}', { params: { path: { id }, query }, signal: signal ?? null }),
    );
  }

  /** A link that hands the key over once. */
  signInLink(
    id: string,
    { signal, ...query }: CallOptions & { readonly expires_in?: number } = {},
  ): Promise<SignInLink> {
    const params = { path: { id }, query };
    return answered(this.raw.POST('/keys/{id}/sign_in_link', { params, signal: signal ?? null }));
  }

  /** Makes a short-lived token of a key for a browser. */
  token(id: string, request: CreateTokenRequest = {}, { signal }: CallOptions = {}): Promise<BrowserToken> {
    const params = { path: { id } };
    return answered(this.raw.POST('/keys/{id}/token', { params, body: request, signal: signal ?? null }));
  }

  /** Exchanges the code of a link for its key; needs no key. */
  signIn(code: string, { signal }: CallOptions = {}): Promise<IssuedKey> {
    return answered(this.raw.POST('/keys/sign_in', { body: { code }, signal: signal ?? null }));
  }

  /** Usage of each key in the last week. */
  usage({ signal, ...query }: CallOptions & { readonly hours?: number } = {}): Promise<KeyUsage[]> {
    return answered(this.raw.GET('/usage/keys', { params: { query }, signal: signal ?? null }));
  }
}
