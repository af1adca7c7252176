import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { once } from 'node:events';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { exportJWK, type JWK, SignJWT } from 'jose';

export const AUDIENCE = 'https://lectern.example/api';
export const CLIENT = 'lectern';
export const SECRET = 'a-secret-of-the-specs-client-0123456789';

export type Accounts = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface SigningKey {
  readonly privateKey: KeyObject;
  readonly jwk: JWK;
}

/** The package oidc-provider in a process of its own, which a spec may stop and start again. */
export class TestIdentityProvider {
  private child: ChildProcess | undefined;
  private port = 0;
  issuer = '';

  private constructor(
    private accounts: Accounts,
    private key: SigningKey,
    private readonly redirects: readonly string[],
    private readonly pages: readonly string[],
  ) {}

  /**
   * @param redirects addresses of the service to which people come back
   * @param pages addresses of frontends to which people come back
   */
  static async start(
    accounts: Accounts,
    redirects: readonly string[] = ['http://127.0.0.1/'],
    pages: readonly string[] = [],
  ): Promise<TestIdentityProvider> {
    const provider = new TestIdentityProvider(accounts, await newKey('first'), redirects, pages);
    await provider.resume();
    return provider;
  }

  /** Starts again, at the same address. */
  async resume(): Promise<void> {
    const child = fork(join(__dirname, 'provider.mjs'), {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.child = child;
    this.setAccounts(this.accounts);
    const clients = [
      {
        client_id: CLIENT,
        client_secret: SECRET,
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: this.redirects.map((base) => `${base}session/callback`),
        post_logout_redirect_uris: this.redirects,
      },
      {
        client_id: 'frontend',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: ['http://127.0.0.1/frontend', ...this.pages],
        post_logout_redirect_uris: this.pages,
      },
    ];
    child.send({ start: { port: this.port, clients, jwks: { keys: [this.key.jwk] }, audience: AUDIENCE } });
    const [message] = (await once(child, 'message')) as [{ issuer: string }];
    this.issuer = message.issuer;
    this.port = Number(new URL(this.issuer).port);
  }

  setAccounts(accounts: Accounts): void {
    this.accounts = accounts;
    this.child?.send({ accounts });
  }

  /** Sets the lifetime of access tokens from now on, in seconds. */
  setTokenLifetime(seconds: number): void {
    this.child?.send({ accessTokenSeconds: seconds });
  }

  async stop(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (child === undefined) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** Signs with another key from now on, which is the only published one. */
  async rotate(): Promise<void> {
    await this.stop();
    this.key = await newKey('second');
    await this.resume();
  }

  /** Signs claims as the provider does. Members of `claims` that are undefined are left out. */
  async sign(
    claims: Readonly<Record<string, unknown>>,
    { kid = this.key.jwk.kid ?? '', typ = 'at+jwt' } = {},
  ): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    const usual = {
      iss: this.issuer,
      aud: AUDIENCE,
      sub: 'ada',
      iat: now,
      exp: now + 600,
      scope: 'docs.read docs.ask',
    };
    const payload = Object.fromEntries(
      Object.entries<unknown>({ ...usual, ...claims }).filter(([, value]) => value !== undefined),
    );
    return new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid, typ }).sign(this.key.privateKey);
  }

  /** The public key as text, which an attacker may use as a secret. */
  get publicJwk(): JWK {
    const { kty, n, e, kid } = this.key.jwk;
    return { kty, n, e, kid } as JWK;
  }

  /** Returns an access token for the audience that the account gets by signing in at the provider. */
  async accessTokenOf(account: string, scope = 'docs.read docs.ask'): Promise<string> {
    const verifier = 'v'.repeat(64);
    const challenge = await sha256(verifier);
    const redirect = 'http://127.0.0.1/frontend';
    const begin = new URL('/auth', this.issuer);
    begin.search = new URLSearchParams({
      client_id: 'frontend',
      response_type: 'code',
      redirect_uri: redirect,
      scope: `openid ${scope}`,
      resource: AUDIENCE,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    }).toString();
    const returned = await this.signIn(begin.href, account);
    const answer = await fetch(new URL('/token', this.issuer), {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: 'frontend',
        code: new URL(returned).searchParams.get('code') ?? '',
        redirect_uri: redirect,
        code_verifier: verifier,
        resource: AUDIENCE,
      }),
    });
    const { access_token: token } = (await answer.json()) as { access_token: string };
    return token;
  }

  /** Signs an account in like a browser. @returns the address to which the provider sends the browser back */
  async signIn(url: string, account: string): Promise<string> {
    const cookies = new Map<string, string>();
    let at = new URL(url);
    let body: URLSearchParams | undefined;
    for (let steps = 0; steps < 10; steps += 1) {
      if (at.origin !== this.issuer) return at.href;
      const answer = await fetch(at, {
        redirect: 'manual',
        headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
        ...(body !== undefined && { method: 'POST', body }),
      });
      for (const cookie of answer.headers.getSetCookie()) {
        const [pair = ''] = cookie.split(';');
        cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
      }
      const location = answer.headers.get('location');
      if (location === null && answer.status !== 200) throw new Error(await answer.text());
      body = location === null ? new URLSearchParams({ account }) : undefined;
      at = new URL(location ?? at.href, at);
    }
    throw new Error('the provider does not send the browser back');
  }
}

async function newKey(kid: string): Promise<SigningKey> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  return { privateKey, jwk: { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' } };
}

async function sha256(value: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(value))).toString('base64url');
}
