import type { Client } from 'openapi-fetch';
import { answered } from './answer.js';
import type { paths } from './schema.js';
import type {
  BrowserToken,
  CallOptions,
  CreateKeyRequest,
  CreateTokenRequest,
  Invitation,
  IssuedKey,
  Key,
  KeyUsage,
  SignInLink,
  Success,
} from './types.js';

interface TenantOptions extends CallOptions {
  /** A tenant other than the key's own. Only the operator may set it. */
  readonly app_id?: string;
}

/** API keys of a tenant, for administrators. */
export class Keys {
  constructor(private readonly raw: Client<paths>) {}

  /** The keys of the tenant, newest first, without their secrets. */
  list({ signal, ...query }: TenantOptions = {}): Promise<Key[]> {
    return answered(this.raw.GET('/keys', { params: { query }, signal: signal ?? null }));
  }

  /** Creates a key. Only this response contains the key itself. */
  create(request: CreateKeyRequest, { signal }: CallOptions = {}): Promise<IssuedKey> {
    return answered(this.raw.POST('/keys', { body: request, signal: signal ?? null }));
  }

  /** Revokes a key. All processes refuse the key within a second. */
  revoke(id: string, { signal, ...query }: TenantOptions = {}): Promise<Success> {
    return answered(
      this.raw.DELETE('/keys/{id}', { params: { path: { id }, query }, signal: signal ?? null }),
    );
  }

  /** Makes a link that hands over the key once. */
  signInLink(
    id: string,
    { signal, ...query }: CallOptions & { readonly expires_in?: number } = {},
  ): Promise<SignInLink> {
    const params = { path: { id }, query };
    return answered(this.raw.POST('/keys/{id}/sign_in_link', { params, signal: signal ?? null }));
  }

  /** Creates a short-lived browser token for a key. */
  token(id: string, request: CreateTokenRequest = {}, { signal }: CallOptions = {}): Promise<BrowserToken> {
    const params = { path: { id } };
    return answered(this.raw.POST('/keys/{id}/token', { params, body: request, signal: signal ?? null }));
  }

  /** Shows whose account a sign-in link opens; the link stays unused. The client needs no key for this. */
  invitation(code: string, { signal }: CallOptions = {}): Promise<Invitation> {
    return answered(this.raw.POST('/keys/invitation', { body: { code }, signal: signal ?? null }));
  }

  /** Exchanges the code of a sign-in link for the key that it hands over. The client needs no key for this. */
  signIn(code: string, { signal }: CallOptions = {}): Promise<IssuedKey> {
    return answered(this.raw.POST('/keys/sign_in', { body: { code }, signal: signal ?? null }));
  }

  /** Usage of each key, by default in the last week. */
  usage({ signal, ...query }: CallOptions & { readonly hours?: number } = {}): Promise<KeyUsage[]> {
    return answered(this.raw.GET('/usage/keys', { params: { query }, signal: signal ?? null }));
  }
}
