/**
 * An OpenID Connect provider with accounts that a spec chooses. Messages of the parent process set what it serves. People
 * sign in with their name and without a password.
 */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { URLSearchParams } from 'node:url';
import { Provider } from 'oidc-provider';

/** Claims by account. */
let accounts = {};
let accessTokenSeconds = 3_600;
let server;

process.on('message', (message) => {
  if (message.accounts !== undefined) accounts = message.accounts;
  if (message.accessTokenSeconds !== undefined) accessTokenSeconds = message.accessTokenSeconds;
  if (message.start !== undefined) start(message.start);
});
process.on('disconnect', () => process.exit());

function start({ port, clients, jwks, audience }) {
  server = createServer();
  server.listen(port, '127.0.0.1', () => {
    const issuer = `http://127.0.0.1:${server.address().port}`;
    server.on('request', handlerOf(providerAt(issuer, { clients, jwks, audience })));
    process.send({ issuer });
  });
}

function providerAt(issuer, { clients, jwks, audience }) {
  const provider = new Provider(issuer, {
    clients,
    jwks,
    cookies: { keys: ['a key of a spec'] },
    claims: {
      openid: ['sub'],
      profile: ['name', 'groups', 'roles', 'tenant'],
      email: ['email', 'email_verified'],
    },
    scopes: ['openid', 'offline_access', 'docs.read', 'docs.ask', 'docs.write'],
    ttl: {
      AccessToken: () => accessTokenSeconds,
      IdToken: 3_600,
      Session: 3_600,
      Grant: 3_600,
      Interaction: 600,
    },
    findAccount: (_context, id) =>
      accounts[id] === undefined
        ? undefined
        : { accountId: id, claims: () => ({ sub: id, ...accounts[id] }) },
    extraTokenClaims: (_context, { accountId }) => accounts[accountId] ?? {},
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    clientBasedCORS: () => true,
    // Pages get a refresh token that ends with the sign-in.
    issueRefreshToken: (_context, client) => client.clientAuthMethod === 'none',
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => undefined,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, resource) => ({
          scope: 'docs.read docs.ask docs.write',
          audience: resource,
          accessTokenFormat: 'jwt',
          accessTokenTTL: accessTokenSeconds,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    renderError: (context, { error, error_description: description }) => {
      context.type = 'text';
      context.body = `${error}: ${description}`;
    },
  });
  provider.audience = audience;
  return provider;
}

function handlerOf(provider) {
  const callback = provider.callback();
  return async (request, response) => {
    if (!request.url.startsWith('/interaction/')) return callback(request, response);
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(
        `<!doctype html><title>Provider</title><form method="post"><label>Account <input name="account"></label><button>Sign in</button></form>`,
      );
      return;
    }
    const account = new URLSearchParams(await text(request)).get('account');
    const { params } = await provider.interactionDetails(request, response);
    const grant = new provider.Grant({ accountId: account, clientId: params.client_id });
    grant.addOIDCScope(params.scope);
    if (params.resource !== undefined) grant.addResourceScope(params.resource, params.scope);
    await provider.interactionFinished(
      request,
      response,
      { login: { accountId: account }, consent: { grantId: await grant.save() } },
      { mergeWithLastSubmission: false },
    );
  };
}
