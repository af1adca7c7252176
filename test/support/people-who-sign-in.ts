import type { DataSource } from 'typeorm';
import { HandOuts } from '../../src/access/hand-outs.js';
import type { KeyRepository } from '../../src/auth/key.repository.js';
import { AccessTokens } from '../../src/auth/people/access-tokens.js';
import { BrowserSessionRepository } from '../../src/auth/people/browser-session.repository.js';
import { BrowserSessions } from '../../src/auth/people/browser-sessions.js';
import { IdentityProvider } from '../../src/auth/people/identity-provider.js';
import { OidcRenewals } from '../../src/auth/people/oidc-renewals.js';
import { PeopleRepository } from '../../src/auth/people/people.repository.js';
import { PeopleService } from '../../src/auth/people/people.service.js';
import { SignInService } from '../../src/auth/sign-in.service.js';
import type { SigningSecret } from '../../src/auth/signing-secret.js';
import type { WrongKeys } from '../../src/auth/wrong-keys.js';
import type { Settings } from '../../src/config/settings.js';

/** The collaborators of an Authenticator that know people who sign in elsewhere. */
export function peopleWhoSignIn(
  settings: Settings,
  secret: SigningSecret,
  keys: KeyRepository,
  dataSource: DataSource,
  wrongKeys: WrongKeys,
): [AccessTokens, BrowserSessions, PeopleService] {
  const repository = new PeopleRepository(dataSource, keys);
  const people = new PeopleService(settings, repository, keys);
  const provider = new IdentityProvider(settings);
  const signIns = new SignInService(keys, secret, wrongKeys, new HandOuts(dataSource));
  const renewals = new OidcRenewals(settings, provider, people, secret);
  const sessions = new BrowserSessions(
    settings,
    new BrowserSessionRepository(dataSource),
    keys,
    signIns,
    renewals,
  );
  return [new AccessTokens(settings, provider, repository), sessions, people];
}
