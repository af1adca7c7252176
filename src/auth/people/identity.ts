import { MAX_GROUPS } from '../../access/acting-for.js';
import { MAX_ID_LENGTH } from '../../access/principal.js';
import type { Settings } from '../../config/settings.js';
import { textDefect } from '../../json/storable.js';
import { DEFAULT_TENANT, tenantOf, type Permission } from '../scope.js';
import type { Identity } from './identity.types.js';

export type Claims = Readonly<Record<string, unknown>>;

/** Thrown for claims that name no person, or groups in an unknown form. `message` names the claim, not its value. */
export class UnusableClaims extends Error {}

const MAX_NAME_LENGTH = 200;

/** Reads a person from the claims of an ID token, a user info response or an access token. @throws UnusableClaims */
export function identityOf(claims: Claims, settings: Settings): Identity {
  const { OIDC_PERSON_CLAIM, OIDC_NAME_CLAIM, OIDC_GROUPS_CLAIM, OIDC_TENANT_CLAIM } = settings;
  const { OIDC_ADMINS_CLAIM = OIDC_GROUPS_CLAIM, OIDC_ISSUER = '' } = settings;
  const person = idOf(claimOf(claims, OIDC_PERSON_CLAIM), OIDC_PERSON_CLAIM);
  if (OIDC_PERSON_CLAIM === 'email' && claims['email_verified'] !== true) {
    throw new UnusableClaims('the claim email is not verified');
  }
  const name = claimOf(claims, OIDC_NAME_CLAIM);
  const isAdmin = listOf(claimOf(claims, OIDC_ADMINS_CLAIM), OIDC_ADMINS_CLAIM).some((value) =>
    settings.SIGN_IN_ADMINS.includes(value),
  );
  return {
    appId: OIDC_TENANT_CLAIM === undefined ? DEFAULT_TENANT : tenantIn(claims, OIDC_TENANT_CLAIM),
    subject: subjectOf(OIDC_ISSUER, idOf(claims['sub'], 'sub')),
    person,
    name: nameOr(name, person),
    detail: detailIn(claims, settings),
    groups: listOf(claimOf(claims, OIDC_GROUPS_CLAIM), OIDC_GROUPS_CLAIM),
    isAdmin,
  };
}

/** Returns what tells people of one name apart; null: the provider does not say it, or not as a text. */
function detailIn(claims: Claims, { OIDC_DETAIL_CLAIM: claim }: Settings): string | null {
  if (claim === 'email' && claims['email_verified'] !== true) return null;
  return nameOr(claimOf(claims, claim), '') || null;
}

export function subjectOf(issuer: string, subject: string): string {
  return `${issuer} ${subject}`;
}

/**
 * Returns what a person who signs in elsewhere may do.
 * @param role what the invitation of the person gave, or an administrator since then; null: nobody invited the person
 */
export function permissionsOf(
  { isAdmin }: Pick<Identity, 'isAdmin'>,
  role: readonly Permission[] | null,
  settings: Settings,
): readonly Permission[] {
  if (isAdmin) return ['admin'];
  return role ?? (settings.SIGN_IN_PERMISSIONS as readonly Permission[]);
}

export function nameOr(name: unknown, person: string): string {
  const text = typeof name === 'string' ? name.trim() : '';
  return text === '' || textDefect(text) !== undefined
    ? person
    : text.slice(0, MAX_NAME_LENGTH).toWellFormed();
}

/** Returns a claim by its name or, if there is none, by the path that the name spells with dots. */
export function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Claims)[part];
  }
  return value;
}

/** @throws UnusableClaims for what cannot be the id of a person */
export function idOf(value: unknown, claim: string): string {
  if (typeof value !== 'string' || value === '') throw new UnusableClaims(`the claim ${claim} is missing`);
  if (value.length > MAX_ID_LENGTH) {
    throw new UnusableClaims(`the claim ${claim} is longer than ${MAX_ID_LENGTH} characters`);
  }
  const defect = textDefect(value);
  if (defect !== undefined) throw new UnusableClaims(`the claim ${claim} contains ${defect}`);
  return value;
}

/**
 * Returns the texts of a claim: a list, or one text.
 * @throws UnusableClaims for anything else, so that a change at the provider never looks like a person without groups
 */
export function listOf(value: unknown, claim: string): readonly string[] {
  if (value === undefined || value === null || value === '') return [];
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (values.length > MAX_GROUPS) {
    throw new UnusableClaims(`the claim ${claim} has more than ${MAX_GROUPS} values`);
  }
  return [...new Set(values.map((one) => entryOf(one, claim)))].sort();
}

function entryOf(value: unknown, claim: string): string {
  if (typeof value !== 'string' || value === '') {
    throw new UnusableClaims(`the claim ${claim} is not a list of texts`);
  }
  return idOf(value, claim);
}

function tenantIn(claims: Claims, claim: string): string {
  const appId = idOf(claimOf(claims, claim), claim);
  if (tenantOf(appId) !== appId) throw new UnusableClaims(`the claim ${claim} is not a tenant`);
  return appId;
}
