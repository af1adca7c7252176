import { Service } from '../service.js';
import { freePorts } from '../shared-service.js';
import { BrowserCookies } from './browser-cookies.js';
import { type Accounts, CLIENT, SECRET, TestIdentityProvider } from './identity-provider.js';

/** A service, and the identity provider at which its people sign in. */
export class ServiceWithProvider {
  private constructor(
    readonly provider: TestIdentityProvider,
    readonly service: Service,
    /** PUBLIC_URL */
    readonly url: string,
  ) {}

  static async start(
    accounts: Accounts,
    settings: Readonly<Record<string, string>>,
  ): Promise<ServiceWithProvider> {
    const [port] = await freePorts(1);
    const url = `http://127.0.0.1:${port}`;
    const provider = await TestIdentityProvider.start(accounts, [`${url}/`]);
    const service = await Service.start({
      PORT: String(port),
      PUBLIC_URL: url,
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: CLIENT,
      OIDC_CLIENT_SECRET: SECRET,
      ...settings,
    });
    return new ServiceWithProvider(provider, service, url);
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.provider.stop();
  }

  /** Signs in with an account. @returns where the service leads the browser on */
  async tryToSignIn(at: BrowserCookies, account: string): Promise<string> {
    return this.comeBack(at, await this.provider.signIn(await this.begin(at), account));
  }

  /** Signs in with an account that the service lets in. */
  async signIn(account: string, at = new BrowserCookies(this.url)): Promise<BrowserCookies> {
    const place = await this.tryToSignIn(at, account);
    if (place !== '/') throw new Error(`${account} was led to ${place}`);
    return at;
  }

  /** Begins a sign-in. @returns the address at the provider */
  async begin(at: BrowserCookies): Promise<string> {
    return seen(await at.get('/session/start'));
  }

  /** Comes back from the provider. @returns where the service leads the browser on */
  async comeBack(at: BrowserCookies, returned: string): Promise<string> {
    const { pathname, search } = new URL(returned);
    const answer = await at.get(pathname + search, { 'sec-fetch-site': 'cross-site' });
    return seen(answer).replace(this.url, '');
  }
}

function seen({ status, headers }: { readonly status: number; readonly headers: Headers }): string {
  const location = headers.get('location');
  if (status !== 303 || location === null) throw new Error(`not led on, but answered with ${status}`);
  return location;
}
