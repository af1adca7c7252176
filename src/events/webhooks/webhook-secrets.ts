import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { Sealer } from '../../auth/sealed.js';
import { SigningSecret } from '../../auth/signing-secret.js';
import type { WebhookEntity } from './webhook.entity.js';

const SECRET_BYTES = 32;

/** What of a webhook signs its messages. */
type Signing = Pick<
  WebhookEntity,
  'appId' | 'webhookId' | 'secret' | 'previousSecret' | 'previousSecretUntil'
>;

/** Makes, encrypts and uses the secrets of webhooks (https://www.standardwebhooks.com, symmetric signatures). */
@Injectable()
export class WebhookSecrets {
  private readonly sealer: Sealer;

  constructor(secret: SigningSecret) {
    this.sealer = new Sealer(secret, 'webhook');
  }

  /** @returns the secret as its owner gets it, `whsec_` and base64, and as it is stored */
  make(appId: string, webhookId: string): { readonly secret: string; readonly sealed: string } {
    const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
    return { secret, sealed: this.sealer.seal(secret, contextOf(appId, webhookId)) };
  }

  /**
   * Returns the headers of a message: with the signature of the secret and, for a while after a rotation, of the previous
   * one.
   * @returns null if the secret cannot be read, because JWT_SECRET was replaced
   */
  headersOf(webhook: Signing, id: string, body: string): Readonly<Record<string, string>> | null {
    const { appId, webhookId, secret, previousSecret, previousSecretUntil } = webhook;
    const now = new Date();
    const context = contextOf(appId, webhookId);
    const current = this.sealer.open(secret, context);
    if (current === null) return null;
    const isPreviousUsed =
      previousSecret !== null && previousSecretUntil !== null && previousSecretUntil > now;
    const previous = isPreviousUsed ? this.sealer.open(previousSecret, context) : null;
    const secrets = previous === null ? [current] : [current, previous];
    return {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': secrets.map((one) => new Webhook(one).sign(id, now, body)).join(' '),
    };
  }
}

function contextOf(appId: string, webhookId: string): string {
  return `${appId}/${webhookId}`;
}
