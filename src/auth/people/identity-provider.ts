import { Inject, Injectable, Logger } from '@nestjs/common';
import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload } from 'jose';
import {
  allowInsecureRequests,
  type Configuration,
  discovery,
  enableNonRepudiationChecks,
  None,
} from 'openid-client';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Unavailable } from '../../errors/index.js';

/** Signatures that are accepted: those with a public key of the provider. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

/** Media types of access tokens (RFC 9068, section 2.1), and that of tokens of providers from before it. */
const TYPES = ['at+jwt', 'application/at+jwt', 'jwt'];

const CLOCK_TOLERANCE_SECONDS = 30;
const TIMEOUT_SECONDS = 5;

/** Milliseconds until the keys are read anew, so that a key which the provider removed is forgotten. */
const KEYS_TTL_MS = 600_000;

/** Milliseconds between two attempts to find a key that is not known, which the provider may have added. */
const KEYS_COOLDOWN_MS = 3_000;

type Keys = ReturnType<typeof createRemoteJWKSet>;

/**
 * The OpenID Connect provider of OIDC_ISSUER. Its metadata is read when it is first needed, so that the service starts
 * while the provider is down.
 */
@Injectable()
export class IdentityProvider {
  private readonly logger = new Logger('IdentityProvider');
  private configuration: Promise<Configuration> | undefined;
  private keys: Promise<Keys> | undefined;
  private keysReadAt = 0;

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  /**
   * Returns the provider's metadata together with the client of this service.
   * @throws Unavailable while the provider does not answer
   */
  async client(): Promise<Configuration> {
    this.configuration ??= this.discover();
    try {
      return await this.configuration;
    } catch (error) {
      this.configuration = undefined;
      this.logger.warn({ err: error }, 'the identity provider does not answer');
      throw new Unavailable('The identity provider does not answer', 5);
    }
  }

  /**
   * Verifies an access token: signature, issuer, audience, times and type.
   * @throws JOSEError for a token that is not valid, Unavailable if its key is not known and the provider does not answer
   */
  async verify(token: string): Promise<JWTPayload> {
    const { OIDC_ISSUER = '', OIDC_AUDIENCE = '' } = this.settings;
    const keys = await this.publicKeys();
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys, {
        algorithms: ALGORITHMS,
        issuer: OIDC_ISSUER,
        audience: OIDC_AUDIENCE,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        requiredClaims: ['exp', 'sub'],
      });
      const type = protectedHeader.typ?.toLowerCase();
      if (type !== undefined && !TYPES.includes(type)) throw new errors.JWTInvalid('not an access token');
      return payload;
    } catch (error) {
      if (isRefusal(error)) throw error;
      this.logger.warn({ err: error }, 'cannot read the keys of the identity provider');
      throw new Unavailable('The identity provider does not answer', 5);
    }
  }

  private async publicKeys(): Promise<Keys> {
    this.keys ??= this.client().then((configuration) => {
      const { jwks_uri: url } = configuration.serverMetadata();
      if (url === undefined || !this.isSafe(url)) {
        throw new Unavailable('The identity provider publishes no keys that can be trusted', 60);
      }
      this.keysReadAt = Date.now();
      return createRemoteJWKSet(new URL(url), {
        cacheMaxAge: Infinity, // old keys serve while the provider is down; see below
        cooldownDuration: KEYS_COOLDOWN_MS,
        timeoutDuration: TIMEOUT_SECONDS * 1_000,
      });
    });
    try {
      const keys = await this.keys;
      if (Date.now() - this.keysReadAt > KEYS_TTL_MS) {
        this.keysReadAt = Date.now();
        keys.reload().catch((error: unknown) => {
          this.logger.warn({ err: error }, 'cannot read the keys of the identity provider anew');
        });
      }
      return keys;
    } catch (error) {
      this.keys = undefined;
      throw error;
    }
  }

  /** Whether an address of the provider has TLS, which only a provider on this machine may do without. */
  private isSafe(url: string): boolean {
    return url.startsWith('https:') || this.isLocal;
  }

  private get isLocal(): boolean {
    return this.settings.OIDC_ISSUER?.startsWith('http:') === true;
  }

  private async discover(): Promise<Configuration> {
    const { OIDC_ISSUER = '', OIDC_CLIENT_ID = 'unused', OIDC_CLIENT_SECRET: secret } = this.settings;
    const insecure = this.isLocal ? [allowInsecureRequests] : [];
    return discovery(
      new URL(OIDC_ISSUER),
      OIDC_CLIENT_ID,
      secret,
      secret === undefined ? None() : undefined,
      {
        timeout: TIMEOUT_SECONDS,
        execute: [enableNonRepudiationChecks, ...insecure],
      },
    );
  }
}

/** Whether an error is about the token, and not about the provider's keys. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof errors.JOSEError)) return false;
  return !(
    error instanceof errors.JWKSTimeout ||
    error instanceof errors.JWKSInvalid ||
    error.code === 'ERR_JOSE_GENERIC'
  );
}
