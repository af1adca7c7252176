import { t } from '../language/translate.js';

/** Tells a group of the tenant from one of the identity provider, which may have the same name. */
export function groupKind(isProvided: boolean): string {
  return t(isProvided ? 'who.providedGroup' : 'people.group');
}
