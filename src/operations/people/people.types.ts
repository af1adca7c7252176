import type { Permission } from '../../auth/scope.js';

/** A person of the tenant: whoever has, or had, a key with an end user. */
export interface Person {
  /** The end user. */
  readonly id: string;
  /** The name of the oldest working key, or of the oldest key: that of the invitation. */
  readonly name: string;
  /** What tells people of one name apart, from the identity provider; null: it is not known. */
  readonly detail: string | null;
  /** The permissions of all working keys; empty if none works. */
  readonly permissions: readonly Permission[];
  readonly groups: readonly string[];
  readonly isActive: boolean;
  readonly signsInElsewhere: boolean;
  /** Whether the identity provider or the proxy makes the person an administrator. */
  readonly isAdminElsewhere: boolean;
  readonly since: Date;
  /** null: not since the service remembers it, or never. */
  readonly lastActiveAt: Date | null;
  /** Questions within the last week. */
  readonly questions: number;
}

export const PERSON_ORDERS = ['name', 'last_active', 'questions', 'since'] as const;
export const PERSON_STATES = ['active', 'ended', 'all'] as const;

export interface PersonSelection {
  /** Part of a name or id; null: everybody. */
  readonly query: string | null;
  /** People who have this permission. */
  readonly permission: Permission | null;
  readonly group: string | null;
  readonly state: (typeof PERSON_STATES)[number];
  readonly order: (typeof PERSON_ORDERS)[number];
  readonly skip: number;
  readonly limit: number;
}

/** What a person owns. */
export interface Possessions {
  readonly documents: number;
  readonly chats: number;
}

/** A person or a group by its name. */
export interface Named {
  /** `user:ID` or `group:ID`. */
  readonly id: string;
  readonly name: string;
  /** Of a person: see {@link Person.detail}. */
  readonly detail: string | null;
  /** Whether it is a group that only the identity provider names. */
  readonly provided: boolean;
}
