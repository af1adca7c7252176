import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Forbidden } from '../../errors/index.js';
import type { KeyReference } from '../api-key.js';
import { KeyRepository } from '../key.repository.js';
import type { Permission } from '../permissions.js';
import { permissionsOf } from './identity.js';
import type { Identity } from './identity.types.js';
import { type Account, type PersonKeys, PeopleRepository } from './people.repository.js';

/** Thrown if an administrator ended the access of the person. */
export class AccessEnded extends Forbidden {
  constructor() {
    super('An administrator ended your access');
  }
}

/** Thrown if the provider names two accounts by one identifier, and the other came first. */
export class IdentifierTaken extends Forbidden {
  constructor() {
    super('Somebody else with your identifier uses this service');
  }
}

/** Admits people who were signed in elsewhere: by an identity provider, or by a proxy. */
@Injectable()
export class PeopleService {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly people: PeopleRepository,
    private readonly keys: KeyRepository,
  ) {}

  /**
   * Returns the key that a person acts with, and makes it at the first time. Its name and groups become those of the
   * identity, its permissions follow {@link permissionsOf}. The person of an account never changes, even if the claim that
   * named the person does.
   * @throws Forbidden if the person may not sign in
   */
  async admit(identity: Identity): Promise<KeyReference> {
    const { appId } = identity;
    const account = await this.people.accountOf(identity);
    if (account !== undefined && !account.isEnded && this.isSame(account, identity)) {
      return { appId, id: account.keyId };
    }
    if (!(await this.keys.hasTenant(appId))) throw new Forbidden('Nobody has invited you to this service');
    return this.people.alone(appId, async (manager) => ({
      appId,
      id: await this.keyIdOf(identity, manager),
    }));
  }

  /**
   * Takes the groups and the rights of an administrator from an account that the provider no longer confirms, until it
   * does again: what acts for the account without a browser has neither.
   * @param subject see {@link Identity.subject}
   */
  async suspend({ appId, id }: KeyReference, subject: string): Promise<void> {
    await this.people.alone(appId, async (manager) => {
      const account = await this.people.accountOf({ appId, subject }, manager);
      if (account === undefined || account.isEnded || account.keyId !== id) return;
      await this.update({ ...account, appId, subject, groups: [], isAdmin: false }, account, manager);
    });
  }

  private async keyIdOf(identity: Identity, manager: EntityManager): Promise<string> {
    const account = await this.people.accountOf(identity, manager);
    if (account !== undefined && !account.isEnded) return this.update(identity, account, manager);
    if (account !== undefined && !account.isInvitedAgain) {
      throw new AccessEnded();
    }
    const known = await this.people.keysOf(identity, manager);
    if (known.isEnded) throw new AccessEnded();
    await this.requireAdmission(identity.appId, known, account !== undefined, manager);
    const permissions = this.permissions(identity, known.role);
    return this.people.addAccount(identity, { role: known.role, permissions }, manager);
  }

  /** Stores what is known of a person now. @returns the id of the key */
  private async update(identity: Identity, { keyId }: Account, manager: EntityManager): Promise<string> {
    const permissions = this.permissions(identity, await this.people.update(identity, manager));
    const key = { appId: identity.appId, id: keyId };
    await this.people.updateKey(key, { name: identity.name, permissions }, manager);
    return keyId;
  }

  private async requireAdmission(
    appId: string,
    known: PersonKeys,
    hasAccount: boolean,
    manager: EntityManager,
  ): Promise<void> {
    if (known.isOfAnother) throw new IdentifierTaken();
    if (known.any || hasAccount) return;
    if (this.settings.SIGN_IN_PEOPLE === 'known')
      throw new Forbidden('Nobody has invited you to this service');
    if ((await this.people.countAccounts(appId, manager)) >= this.settings.SIGN_IN_MAX_PEOPLE) {
      throw new Forbidden('The service has as many people as SIGN_IN_MAX_PEOPLE allows');
    }
  }

  private isSame(account: Account, identity: Identity): boolean {
    const { name, detail, groups, isAdmin } = identity;
    const now = [name, detail, groups, isAdmin, this.permissions(identity, account.role)];
    const before = [account.name, account.detail, account.groups, account.isAdmin, account.permissions];
    return JSON.stringify(before) === JSON.stringify(now);
  }

  private permissions(identity: Identity, role: Account['role']): readonly Permission[] {
    return permissionsOf(identity, role, this.settings);
  }
}
