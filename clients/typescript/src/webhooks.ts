import type { Client } from 'openapi-fetch';
import { answered } from './answer.js';
import type { paths } from './schema.js';
import type {
  CallOptions,
  ChangeWebhookRequest,
  CreateWebhookRequest,
  IssuedWebhook,
  Success,
  Webhook,
  WebhookDeliveries,
  WebhookDelivery,
} from './types.js';

/** Addresses to which the service sends what happens to documents. The npm package `standardwebhooks` verifies messages. */
export class Webhooks {
  constructor(private readonly raw: Client<paths>) {}

  list({ signal }: CallOptions = {}): Promise<Webhook[]> {
    return answered(this.raw.GET('/webhooks', { signal: signal ?? null }));
  }

  get(id: string, { signal }: CallOptions = {}): Promise<Webhook> {
    return answered(this.raw.GET('/webhooks/{webhook_id}', { ...at(id), signal: signal ?? null }));
  }

  /** Makes a webhook. Only this response contains the secret. */
  create(request: CreateWebhookRequest, { signal }: CallOptions = {}): Promise<IssuedWebhook> {
    return answered(this.raw.POST('/webhooks', { body: request, signal: signal ?? null }));
  }

  /** Changes, disables or enables a webhook. Absent members stay. */
  change(id: string, change: ChangeWebhookRequest, { signal }: CallOptions = {}): Promise<Webhook> {
    return answered(
      this.raw.PATCH('/webhooks/{webhook_id}', { ...at(id), body: change, signal: signal ?? null }),
    );
  }

  delete(id: string, { signal }: CallOptions = {}): Promise<Success> {
    return answered(this.raw.DELETE('/webhooks/{webhook_id}', { ...at(id), signal: signal ?? null }));
  }

  /** Replaces the secret. For `previous_expires_in` seconds, a day by default, messages have the signatures of both. */
  rotateSecret(
    id: string,
    { signal, ...query }: CallOptions & { readonly previous_expires_in?: number } = {},
  ): Promise<IssuedWebhook> {
    const params = { ...at(id).params, query };
    return answered(
      this.raw.POST('/webhooks/{webhook_id}/rotate_secret', { params, signal: signal ?? null }),
    );
  }

  /** Sends a test message; `deliveries` shows what came of it. */
  test(id: string, { signal }: CallOptions = {}): Promise<WebhookDelivery> {
    return answered(this.raw.POST('/webhooks/{webhook_id}/test', { ...at(id), signal: signal ?? null }));
  }

  /** The deliveries of the last three days, newest first. */
  deliveries(
    id: string,
    {
      signal,
      ...query
    }: CallOptions & {
      readonly status?: WebhookDelivery['status'][];
      readonly limit?: number;
      /** `next` of the previous page. */
      readonly before?: string;
    } = {},
  ): Promise<WebhookDeliveries> {
    const params = { ...at(id).params, query };
    return answered(this.raw.GET('/webhooks/{webhook_id}/deliveries', { params, signal: signal ?? null }));
  }

  /** Sends a delivery again, with the same id and content. */
  redeliver(id: string, deliveryId: string, { signal }: CallOptions = {}): Promise<WebhookDelivery> {
    const params = { path: { webhook_id: id, delivery_id: deliveryId } };
    return answered(
      this.raw.POST('/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver', {
        params,
        signal: signal ?? null,
      }),
    );
  }
}

function at(id: string): { readonly params: { readonly path: { readonly webhook_id: string } } } {
  return { params: { path: { webhook_id: id } } };
}
