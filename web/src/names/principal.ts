const USER = 'user:';

/** How access lists and the directory name a person. */
export function userPrincipal(person: string): string {
  return USER + person;
}

/** The person whom a principal names; null: a group, or everyone. */
export function personIn(principal: string): string | null {
  return principal.startsWith(USER) ? principal.slice(USER.length) : null;
}

/** The id of the person or group whom a principal names. */
export function idOf(principal: string): string {
  return principal.replace(/^(user|group):/, '');
}
