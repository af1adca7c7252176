/** A person as an identity provider or a proxy describes the person. */
export interface Identity {
  readonly appId: string;
  /** The account, which nobody else ever gets: issuer and subject. */
  readonly subject: string;
  readonly person: string;
  readonly name: string;
  /** What tells people of one name apart, such as an e-mail address; null: it is not known. */
  readonly detail: string | null;
  readonly groups: readonly string[];
  /** Whether the claims or groups make the person an administrator. */
  readonly isAdmin: boolean;
}
