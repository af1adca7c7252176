import { choice, integer, list, secret, text, url } from './definition.js';

/** Settings of people who sign in elsewhere: at an identity provider, or at a proxy. */
export const signInDefinition = {
  OIDC_ISSUER: url(
    'Issuer URL of an OpenID Connect provider. Its metadata and keys are read from there, over https except on this machine.',
    ['https', 'http'],
  ),
  OIDC_CLIENT_ID: text(
    'Client with which people sign in at the provider; its redirect URI is PUBLIC_URL/session/callback. Unset: no sign-in.',
  ),
  OIDC_CLIENT_SECRET: secret('Secret of the client. Unset: a public client.'),
  OIDC_NAME: text('Name of the provider on the button "Sign in with ...".', 'OpenID Connect'),
  OIDC_SCOPES: text(
    'Scopes that the sign-in asks for. Many providers give a refresh token, which rechecks need, only with offline_access.',
    'openid profile email',
  ),
  OIDC_AUDIENCE: text(
    'Audience of access tokens that are accepted as Bearer credentials. Unset: none are accepted.',
  ),
  OIDC_REQUIRED_SCOPE: text('Scope that an access token must have.'),
  OIDC_SCOPE_MAP: list(
    'Permissions that scopes of an access token give, such as docs.read=read,docs.ask=query. Empty: all that the person may do.',
  ),
  OIDC_PERSON_CLAIM: text(
    'Claim with the identifier of the person. email counts only if it is verified.',
    'sub',
  ),
  OIDC_NAME_CLAIM: text('Claim with the name of the person.', 'name'),
  OIDC_DETAIL_CLAIM: text(
    'Claim that is shown beside the name, so that people of one name are told apart. email counts only if it is verified.',
    'email',
  ),
  OIDC_GROUPS_CLAIM: text('Claim with the groups of the person; dots lead into objects.', 'groups'),
  OIDC_ADMINS_CLAIM: text('Claim that is compared with SIGN_IN_ADMINS. Unset: OIDC_GROUPS_CLAIM.'),
  OIDC_TENANT_CLAIM: text('Claim with the id of the tenant, which must exist. Unset: the tenant default.'),
  OIDC_RECHECK_SECONDS: integer(
    'How long a session goes on before the provider is asked again for groups and administrators.',
    300,
    { min: 1, max: 86_400 },
  ),
  OIDC_SESSION_HOURS: integer('Hours until a person must sign in at the provider again.', 168, {
    min: 1,
    max: 8_760,
  }),
  PROXY_PERSON_HEADER: text(
    'Header in which a proxy of TRUST_PROXY names the person who is signed in there. Other addresses are refused with it.',
  ),
  PROXY_NAME_HEADER: text('Header with the name of this person.'),
  PROXY_GROUPS_HEADER: text('Header with the groups of this person, comma-separated.'),
  PROXY_SIGN_OUT_URL: url('Where the page leads to sign out at the proxy.', ['https', 'http']),
  SIGN_IN_PEOPLE: choice(
    'Who may sign in at a provider or proxy. known: people with a key. anyone: everybody whom it signs in.',
    ['known', 'anyone'],
    'known',
  ),
  SIGN_IN_MAX_PEOPLE: integer('People of a tenant that signing in may create.', 1_000, {
    min: 1,
    max: 1_000_000,
  }),
  SIGN_IN_PERMISSIONS: list(
    'Permissions of people who sign in there and whom nobody invited, of read, query and write.',
    'read,query',
  ),
  SIGN_IN_ADMINS: list(
    'Groups, or values of OIDC_ADMINS_CLAIM, that make a person an administrator. Empty: none.',
  ),
} as const;
