import type { Settings } from './settings.js';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
const PERMISSION = /^(read|query|write)$/;
const MAPPED = /^[^=]+=(read|query|write|admin)$/;

/** Headers that mean something else to the service. */
const TAKEN =
  /^(authorization|cookie|host|origin|content-.*|forwarded|x-forwarded-(for|host|proto)|x-request-id)$/i;

/** Finds settings of the sign-in that do not work together. */
export function signInProblems(settings: Settings): string[] {
  return [...providerProblems(settings), ...proxyProblems(settings), ...permissionProblems(settings)];
}

function providerProblems(settings: Settings): string[] {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_AUDIENCE, PUBLIC_URL } = settings;
  const problems: string[] = [];
  if (OIDC_ISSUER === undefined) {
    for (const name of ['OIDC_CLIENT_ID', 'OIDC_AUDIENCE'] as const) {
      if (settings[name] !== undefined) problems.push(`${name} requires OIDC_ISSUER`);
    }
    return problems;
  }
  const { protocol, hostname } = new URL(OIDC_ISSUER);
  if (protocol !== 'https:' && !LOOPBACK.test(hostname)) {
    problems.push('OIDC_ISSUER must start with https:// unless the provider runs on this machine');
  }
  if (OIDC_CLIENT_ID === undefined && OIDC_AUDIENCE === undefined) {
    problems.push('OIDC_ISSUER requires OIDC_CLIENT_ID for signing in, or OIDC_AUDIENCE for access tokens');
  }
  if (OIDC_CLIENT_ID !== undefined && PUBLIC_URL === undefined) {
    problems.push('OIDC_CLIENT_ID requires PUBLIC_URL, to which the provider sends people back');
  }
  if (OIDC_CLIENT_SECRET !== undefined && OIDC_CLIENT_ID === undefined) {
    problems.push('OIDC_CLIENT_SECRET requires OIDC_CLIENT_ID');
  }
  if (OIDC_AUDIENCE !== undefined && OIDC_AUDIENCE === OIDC_CLIENT_ID) {
    problems.push('OIDC_AUDIENCE must differ from OIDC_CLIENT_ID, the audience of ID tokens');
  }
  return problems;
}

function proxyProblems(settings: Settings): string[] {
  const { PROXY_PERSON_HEADER, PROXY_NAME_HEADER, PROXY_GROUPS_HEADER, TRUST_PROXY } = settings;
  const problems: string[] = [];
  const named = { PROXY_PERSON_HEADER, PROXY_NAME_HEADER, PROXY_GROUPS_HEADER };
  for (const [setting, header] of Object.entries(named)) {
    if (header === undefined) continue;
    if (PROXY_PERSON_HEADER === undefined) problems.push(`${setting} requires PROXY_PERSON_HEADER`);
    if (!HEADER_NAME.test(header) || TAKEN.test(header)) {
      problems.push(`${setting} must be the name of a header that has no other meaning here`);
    }
  }
  if (PROXY_PERSON_HEADER !== undefined && TRUST_PROXY.length === 0) {
    problems.push(
      'PROXY_PERSON_HEADER requires TRUST_PROXY: the header is believed only from these addresses',
    );
  }
  return problems;
}

function permissionProblems({ SIGN_IN_PERMISSIONS, OIDC_SCOPE_MAP }: Settings): string[] {
  const problems: string[] = [];
  if (SIGN_IN_PERMISSIONS.length === 0 || !SIGN_IN_PERMISSIONS.every((name) => PERMISSION.test(name))) {
    problems.push('SIGN_IN_PERMISSIONS must list read, query or write');
  }
  if (!OIDC_SCOPE_MAP.every((pair) => MAPPED.test(pair))) {
    problems.push('OIDC_SCOPE_MAP must list pairs such as docs.read=read, of read, query, write and admin');
  }
  return problems;
}
