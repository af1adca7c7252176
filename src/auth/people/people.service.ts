import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Forbidden } from '../../errors/index.js';
import type { KeyReference } from '../api-key.js';
import { KeyRepository } from '../key.repository.js';
import type { Identity } from './identity.types.js';
import { type Account, PeopleRepository } from './people.repository.js';

/** Admits people who were signed in elsewhere: by an identity provider, or by a proxy. */
@Injectable()
export class PeopleService {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly people: PeopleRepository,
    private readonly keys: KeyRepository,
  ) {}

  /**
   * Returns the key that a person acts with, and makes it at the first time. Its name, permissions and groups become
   * those of the identity. The person of an account never changes, even if the claim that named the person does.
   * @throws Forbidden if the person may not sign in
   */
  async admit(identity: Identity): Promise<KeyReference> {
    const { appId } = identity;
    const account = await this.people.accountOf(identity);
    if (account !== undefined && !account.isEnded && isSame(account, identity)) {
      return { appId, id: account.keyId };
    }
    if (!(await this.keys.hasTenant(appId))) throw new Forbidden('Nobody has invited you to this service');
    return this.people.alone(appId, async (manager) => ({
      appId,
      id: await this.keyIdOf(identity, manager),
    }));
  }

  private async keyIdOf(identity: Identity, manager: EntityManager): Promise<string> {
    const account = await this.people.accountOf(identity, manager);
    if (account !== undefined && !account.isEnded) {
      await this.people.update(identity, account.keyId, manager);
      return account.keyId;
    }
    if (account !== undefined && !account.isInvitedAgain) {
      throw new Forbidden('An administrator ended your access');
    }
    await this.requireAdmission(identity, account !== undefined, manager);
    return this.people.addAccount(identity, manager);
  }

  private async requireAdmission(
    { appId, person }: Identity,
    hasAccount: boolean,
    manager: EntityManager,
  ): Promise<void> {
    const known = await this.people.keysOf(appId, person, manager);
    if (known.account) throw new Forbidden('Somebody else with your identifier uses this service');
    if (known.any || hasAccount) return;
    if (this.settings.SIGN_IN_PEOPLE === 'known')
      throw new Forbidden('Nobody has invited you to this service');
    if ((await this.people.countAccounts(appId, manager)) >= this.settings.SIGN_IN_MAX_PEOPLE) {
      throw new Forbidden('The service has as many people as SIGN_IN_MAX_PEOPLE allows');
    }
  }
}

function isSame(account: Account, { name, groups, permissions }: Identity): boolean {
  const described = JSON.stringify([account.name, account.groups, account.permissions]);
  return described === JSON.stringify([name, groups, permissions]);
}
