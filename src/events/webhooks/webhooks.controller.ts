import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Scope } from '../../auth/scope.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { SuccessDto } from '../../http/error.dto.js';
import { Route } from '../../http/route.decorator.js';
import {
  ChangeWebhookRequest,
  changeOf,
  CreateWebhookRequest,
  DeliveriesQuery,
  DeliveryDto,
  DeliveryListDto,
  DeliveryPath,
  MESSAGES,
  RotateSecretQuery,
  toDeliveryDto,
  toDeliveryListDto,
  toWebhookDto,
  toWebhookSecretDto,
  WebhookDto,
  WebhookPath,
  WebhookSecretDto,
  WebhookTestDto,
  wishOf,
} from './webhook.dto.js';
import { WebhooksService } from './webhooks.service.js';

const NO_WEBHOOK = { 404: 'Webhook not found' };
const DISABLED = { 404: 'Webhook not found', 409: 'The webhook is disabled: enable it first' };

@ApiTags('events')
@ApiExtraModels(WebhookTestDto)
@Controller('webhooks')
export class WebhooksController {
  constructor(private readonly service: WebhooksService) {}

  @Post()
  @Route({
    operationId: 'createWebhook',
    permission: 'write',
    idempotency: 'secret',
    summary: 'Create a webhook',
    description:
      'The service sends what happens to documents to an address, signed by the Standard Webhooks scheme. Only this response contains the secret. A webhook tells at most what its key may read at each moment, and ends with its key. The key needs `read` too.',
    audit: {
      action: 'webhook.create',
      subject: ({ body, answer }) => [answer['id'], originOf(body['url'])],
    },
    callbacks: MESSAGES,
    errors: { 413: 'The application may have 100 webhooks: 0 left, 1 requested' },
  })
  @ApiOkResponse({ type: WebhookSecretDto })
  async create(
    @CurrentScope() scope: Scope,
    @Body() request: CreateWebhookRequest,
  ): Promise<WebhookSecretDto> {
    return toWebhookSecretDto(await this.service.create(scope, wishOf(request)));
  }

  @Get()
  @Route({
    operationId: 'listWebhooks',
    permission: 'write',
    summary: 'List webhooks, oldest first',
    description:
      "An administrator sees all webhooks of the tenant, a person's key those of its person, another key its own.",
  })
  @ApiOkResponse({ type: [WebhookDto] })
  async list(@CurrentScope() scope: Scope): Promise<WebhookDto[]> {
    return (await this.service.list(scope)).map(toWebhookDto);
  }

  @Get(':webhook_id')
  @Route({
    operationId: 'getWebhook',
    permission: 'write',
    summary: 'Get a webhook',
    errors: NO_WEBHOOK,
  })
  @ApiOkResponse({ type: WebhookDto })
  async get(@CurrentScope() scope: Scope, @Param() { webhook_id: id }: WebhookPath): Promise<WebhookDto> {
    return toWebhookDto(await this.service.get(scope, id));
  }

  @Patch(':webhook_id')
  @Route({
    operationId: 'changeWebhook',
    permission: 'write',
    summary: 'Change, disable or enable a webhook',
    description:
      'Absent members stay. Whoever changes it, it tells at most what the key that made it may read.',
    audit: {
      action: 'webhook.change',
      subject: ({ params, body }) => [
        params['webhook_id'],
        ...Object.keys(body),
        ...(body['url'] === undefined ? [] : [originOf(body['url'])]),
      ],
    },
    errors: NO_WEBHOOK,
  })
  @ApiOkResponse({ type: WebhookDto })
  async change(
    @CurrentScope() scope: Scope,
    @Param() { webhook_id: id }: WebhookPath,
    @Body() request: ChangeWebhookRequest,
  ): Promise<WebhookDto> {
    return toWebhookDto(await this.service.change(scope, id, changeOf(request)));
  }

  @Delete(':webhook_id')
  @Route({
    operationId: 'deleteWebhook',
    permission: 'write',
    summary: 'Delete a webhook with its deliveries',
    audit: { action: 'webhook.delete', subject: ({ params }) => [params['webhook_id']] },
    errors: NO_WEBHOOK,
  })
  @ApiOkResponse({ type: SuccessDto })
  async delete(@CurrentScope() scope: Scope, @Param() { webhook_id: id }: WebhookPath): Promise<SuccessDto> {
    await this.service.delete(scope, id);
    return { status: 'success', message: `Webhook ${id} deleted` };
  }

  @Post(':webhook_id/rotate_secret')
  @Route({
    operationId: 'rotateWebhookSecret',
    permission: 'write',
    idempotency: 'secret',
    summary: 'Replace the secret of a webhook',
    description:
      'Only this response contains the new secret. For a day, or `previous_expires_in` seconds, messages have the signatures of both secrets.',
    audit: { action: 'webhook.rotate_secret', subject: ({ params }) => [params['webhook_id']] },
    errors: NO_WEBHOOK,
  })
  @ApiOkResponse({ type: WebhookSecretDto })
  async rotate(
    @CurrentScope() scope: Scope,
    @Param() { webhook_id: id }: WebhookPath,
    @Query() { previous_expires_in }: RotateSecretQuery,
  ): Promise<WebhookSecretDto> {
    return toWebhookSecretDto(await this.service.rotate(scope, id, previous_expires_in));
  }

  @Post(':webhook_id/test')
  @Route({
    operationId: 'testWebhook',
    permission: 'write',
    summary: 'Send a test message to a webhook',
    description: 'Its type is `webhook.test`. The list of deliveries shows what came of it.',
    errors: DISABLED,
  })
  @ApiOkResponse({ type: DeliveryDto })
  async test(@CurrentScope() scope: Scope, @Param() { webhook_id: id }: WebhookPath): Promise<DeliveryDto> {
    return toDeliveryDto(await this.service.test(scope, id));
  }

  @Get(':webhook_id/deliveries')
  @Route({
    operationId: 'listWebhookDeliveries',
    permission: 'write',
    summary: 'List the deliveries of a webhook, newest first',
    description: 'Those of the last three days.',
    errors: NO_WEBHOOK,
  })
  @ApiOkResponse({ type: DeliveryListDto })
  async deliveries(
    @CurrentScope() scope: Scope,
    @Param() { webhook_id: id }: WebhookPath,
    @Query() { status, before, limit }: DeliveriesQuery,
  ): Promise<DeliveryListDto> {
    const page = { states: status ?? null, before: before ?? null, limit: limit + 1 };
    const rows = await this.service.listDeliveries(scope, id, page);
    return toDeliveryListDto(rows, limit);
  }

  @Post(':webhook_id/deliveries/:delivery_id/redeliver')
  @Route({
    operationId: 'redeliverWebhook',
    permission: 'write',
    summary: 'Send a delivery again',
    description: 'With the same id and content, and with all attempts.',
    errors: { ...DISABLED, 404: 'Delivery not found' },
  })
  @ApiOkResponse({ type: DeliveryDto })
  async redeliver(
    @CurrentScope() scope: Scope,
    @Param() { webhook_id: id, delivery_id }: DeliveryPath,
  ): Promise<DeliveryDto> {
    return toDeliveryDto(await this.service.redeliver(scope, id, delivery_id));
  }
}

/** The origin of an address, for the audit log: its path may be a secret of the receiver. */
function originOf(url: unknown): string | undefined {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : undefined;
}
