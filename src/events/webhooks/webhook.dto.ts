import { ApiProperty } from '@nestjs/swagger';
import { validate as isUuid } from 'uuid';
import { DOCUMENT_EVENTS, type DocumentEventType } from '../../corpus/document-events.js';
import { ArrayNotEmpty } from 'class-validator';
import { Invalid } from '../../errors/index.js';
import { parseFilter } from '../../filters/parse/parse-filter.js';
import { eventUnion } from '../../http/event-union.js';
import { Examples } from '../../http/input/examples.js';
import {
  ChoiceListField,
  FlagField,
  IntegerField,
  ParsedObjectField,
  TextField,
} from '../../http/input/fields.js';
import type { Parse } from '../../http/input/input.pipe.js';
import { parseJson, printJson } from '../../json/exact-json.js';
import {
  EndUserField,
  FolderDepthField,
  FolderNamesField,
  GroupsField,
} from '../../retrieval/selection-fields.dto.js';
import { TOLD_MODELS } from '../event.dto.js';
import {
  DELIVERY_STATES,
  DISABLED_REASONS,
  OWN_TYPES,
  type DeliveryState,
  type DeliveryType,
  type DisabledReason,
  type WebhookDeliveryEntity,
  type WebhookEntity,
} from './webhook.entity.js';
import type { WebhookChange } from './webhook.repository.js';
import type { IssuedWebhook, WebhookWish } from './webhooks.service.js';

const MAX_URL = 2_000;
const MAX_FILTER_BYTES = 64_000;
const WEEK = 7 * 86_400;

/** Progress has to be asked for: it comes several times for each document. */
const DEFAULT_TYPES = DOCUMENT_EVENTS.filter((type) => type !== 'document.progress');

const URL_FIELD = {
  description:
    'Where the service sends events with POST. WEBHOOK_ALLOWED_BASES says which addresses are allowed; others need https and must be public.',
  example: 'https://app.example.com/hooks/lectern',
  maxLength: MAX_URL,
};

const DESCRIPTION_FIELD = {
  description: 'For people.',
  example: 'Production',
  nullable: true,
  maxLength: 500,
};

const TYPES_FIELD = {
  values: DOCUMENT_EVENTS,
  description: 'Types of events. Default: all but `document.progress`.',
  example: ['document.completed', 'document.failed'],
  openapi: { minItems: 1 },
};

const NO_TYPES = { message: 'Value error, a webhook needs at least one type of events' };

/** Validates a filter. Returns its JSON unchanged, because the webhook keeps the filter as JSON. */
const filterJson: Parse = (value, loc) => {
  parseFilter(value, loc);
  if (Buffer.byteLength(printJson(value)) <= MAX_FILTER_BYTES) return value;
  throw Invalid.at(loc, `Value error, the filter of a webhook has at most ${MAX_FILTER_BYTES} bytes`);
};

const FILTER_FIELD = {
  description: 'Only documents that match this metadata filter. See docs/guide/filters.md.',
  example: { department: 'research' },
  nullable: true,
  parse: filterJson,
};

type FilterJson = Readonly<Record<string, unknown>>;

@Examples({
  'When documents are ready': {
    url: 'https://app.example.com/hooks/lectern',
    types: ['document.completed', 'document.failed'],
  },
})
export class CreateWebhookRequest {
  @TextField({ ...URL_FIELD, required: true })
  url: string;

  @TextField(DESCRIPTION_FIELD)
  description: string | null = null;

  @ArrayNotEmpty(NO_TYPES)
  @ChoiceListField(TYPES_FIELD)
  types: DocumentEventType[] = DEFAULT_TYPES;

  @FolderNamesField()
  folder_name: string[] | null = null;

  @FolderDepthField()
  folder_depth: number | null = null;

  @ParsedObjectField(FILTER_FIELD)
  filters: FilterJson | null = null;

  @EndUserField()
  end_user_id: string | null = null;

  @GroupsField()
  groups: string[] | null = null;
}

@Examples({ Pause: { enabled: false } })
export class ChangeWebhookRequest {
  @TextField(URL_FIELD)
  url?: string;

  @TextField(DESCRIPTION_FIELD)
  description?: string | null;

  @ArrayNotEmpty(NO_TYPES)
  @ChoiceListField({ ...TYPES_FIELD, description: 'Types of events.' })
  types?: DocumentEventType[];

  @FolderNamesField()
  folder_name?: string[] | null;

  @FolderDepthField()
  folder_depth?: number | null;

  @ParsedObjectField(FILTER_FIELD)
  filters?: FilterJson | null;

  @EndUserField()
  end_user_id?: string | null;

  @FlagField({
    description:
      'false: sends nothing until it is enabled again, and then what happened meanwhile, for three days.',
    example: true,
  })
  enabled?: boolean;
}

export class RotateSecretQuery {
  @IntegerField({
    inText: true,
    description:
      'Seconds for which messages are also signed with the former secret, at most a week; 0: not at all. Default: a day.',
    min: 0,
    max: WEEK,
  })
  previous_expires_in = 86_400;
}

export class WebhookPath {
  @TextField({
    required: true,
    description: 'Id of the webhook.',
    example: '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a',
  })
  webhook_id: string;
}

export class DeliveryPath extends WebhookPath {
  @TextField({
    required: true,
    description: 'Id of the delivery.',
    example: '0198c0de-0000-7000-8000-00000000abcd',
  })
  delivery_id: string;
}

const deliveryId: Parse = (value, loc) => {
  if (isUuid(value)) return value;
  throw Invalid.at(loc, 'Value error, must be the id of a delivery');
};

export class DeliveriesQuery {
  @ChoiceListField({ inText: true, values: DELIVERY_STATES, description: 'States. Default: all.' })
  status?: DeliveryState[];

  @IntegerField({
    inText: true,
    min: 1,
    max: 500,
    description: 'Maximum number of deliveries. Default: 100.',
  })
  limit = 100;

  @TextField({ description: '`next` of the previous page.', parse: deliveryId })
  before?: string;
}

const time = (description: string, isNullable = true): PropertyDecorator =>
  ApiProperty({
    type: 'string',
    format: 'date-time',
    ...(isNullable ? { nullable: true } : {}),
    description,
    example: isNullable ? null : '2026-01-31T12:00:00.000Z',
  });

export class WebhookDto {
  @ApiProperty({ format: 'uuid', description: 'Id.', example: '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a' })
  id: string;

  @ApiProperty({ description: 'Where events are sent.', example: 'https://app.example.com/hooks/lectern' })
  url: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'For people.', example: 'Production' })
  description: string | null;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', enum: [...DOCUMENT_EVENTS] },
    description: 'Types of events.',
    example: ['document.completed', 'document.failed'],
  })
  types: DocumentEventType[];

  @ApiProperty({
    type: 'array',
    items: { type: 'string' },
    nullable: true,
    description: 'Folders; null: every folder.',
    example: null,
  })
  folder_name: string[] | null;

  @ApiProperty({ type: 'integer', description: 'Levels of subfolders; -1: all.', example: 0 })
  folder_depth: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'Metadata filter.',
    example: null,
  })
  filters: FilterJson | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Documents of this end user only; null: all that the key may read.',
    example: null,
  })
  end_user_id: string | null;

  @ApiProperty({ description: 'Id of the key that made it, and with which it ends.', example: 'admin-key' })
  key_id: string;

  @ApiProperty({ description: 'Whether events are sent.', example: true })
  enabled: boolean;

  @time('When it was disabled; null: it is enabled.')
  disabled_at: string | null;

  @ApiProperty({
    type: 'string',
    enum: [...DISABLED_REASONS, null],
    nullable: true,
    description:
      'Why the service disabled it. `gone`: the receiver answered 410. `failing`: nothing was delivered for three days. `key_ended`: the key that made it no longer works or may no longer read. `secret_unreadable`: JWT_SECRET was replaced; rotate the secret. null: it is enabled, or a caller disabled it.',
    example: null,
  })
  disabled_reason: DisabledReason | null;

  @time('Time of the first failed attempt after the last delivery; null: the last attempt was a delivery.')
  failing_since: string | null;

  @time('Until when the former secret signs too; null: there is none.')
  previous_secret_expires_at: string | null;

  @time('Creation time.', false)
  created_at: string;

  @time('Time of the last change.', false)
  updated_at: string;
}

export class WebhookSecretDto extends WebhookDto {
  @ApiProperty({
    description: 'Verifies messages, see docs/guide/webhooks.md. It is shown only once.',
    example: '<WEBHOOK_SECRET>',
  })
  secret: string;
}

export class DeliveryDto {
  @ApiProperty({
    format: 'uuid',
    description: 'Id, which the receiver gets as `webhook-id`.',
    example: '0198c0de-0000-7000-8000-00000000abcd',
  })
  id: string;

  @ApiProperty({ enum: [...DOCUMENT_EVENTS, ...OWN_TYPES], description: 'What it tells.' })
  type: DeliveryType;

  @ApiProperty({ type: 'string', nullable: true, description: 'The document; null: of none.', example: null })
  document_id: string | null;

  @ApiProperty({
    enum: DELIVERY_STATES,
    description:
      '`waiting`: for the next attempt. `failed`: all attempts failed. `dropped`: nothing was sent, because the key of the webhook may no longer read the document.',
  })
  status: DeliveryState;

  @ApiProperty({ type: 'integer', description: 'Attempts so far.', example: 1 })
  attempts: number;

  @time('When the next attempt begins; null: there is none.')
  next_attempt_at: string | null;

  @time('When the last attempt began.')
  last_attempt_at: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'HTTP status of the last answer; null: there was none.',
    example: 200,
  })
  last_status_code: number | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Why the last attempt got no answer.',
    example: null,
  })
  last_error: string | null;

  @time('When the event happened.', false)
  happened_at: string;
}

export class DeliveryListDto {
  @ApiProperty({ type: [DeliveryDto], description: 'The deliveries, newest first.' })
  deliveries: DeliveryDto[];

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: '`before` of the next page; null on the last page.',
    example: null,
  })
  next: string | null;
}

class WebhookTestDataDto {
  @ApiProperty({ format: 'uuid', description: 'Id of the webhook.' })
  webhook_id: string;
}

/** What a webhook sends besides events of documents. */
export class WebhookTestDto {
  @ApiProperty({ enum: ['webhook.test'], description: 'What happened.' })
  type: 'webhook.test';

  @ApiProperty({ format: 'date-time', description: 'When it happened.' })
  timestamp: string;

  @ApiProperty({ type: WebhookTestDataDto, description: 'The webhook.' })
  data: WebhookTestDataDto;
}

/** The requests that a new webhook makes the service send. */
export const MESSAGES = {
  message: {
    '{$request.body#/url}': {
      post: {
        summary: 'A message',
        security: [],
        description:
          'Sent for each event, with the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.',
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: eventUnion({ ...TOLD_MODELS, 'webhook.test': WebhookTestDto }) },
          },
        },
        responses: {
          '2XX': { description: 'The message was taken. Any other answer: it is sent again later.' },
          '410': { description: 'The webhook is disabled.' },
        },
      },
    },
  },
};

export function wishOf(request: CreateWebhookRequest): WebhookWish {
  const { url, description, types, folder_name, folder_depth, filters, end_user_id } = request;
  return {
    url,
    description,
    types: [...new Set(types)],
    folders: folder_name,
    folderDepth: folder_depth ?? 0,
    filter: filters === null ? null : printJson(filters),
    endUserId: end_user_id,
  };
}

export function changeOf(request: ChangeWebhookRequest): WebhookChange {
  const { url, description, types, folder_name, folder_depth, filters, end_user_id, enabled } = request;
  const change = {
    url,
    description,
    types: types && [...new Set(types)],
    folders: folder_name,
    folderDepth: folder_depth === null ? 0 : folder_depth,
    filter: filters === undefined || filters === null ? filters : printJson(filters),
    endUserId: end_user_id,
    enabled,
  };
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}

export function toWebhookDto(webhook: WebhookEntity): WebhookDto {
  const { previousSecretUntil: until } = webhook;
  return {
    id: webhook.webhookId,
    url: webhook.url,
    description: webhook.description,
    types: [...webhook.types],
    folder_name: webhook.folders === null ? null : [...webhook.folders],
    folder_depth: webhook.folderDepth,
    filters: webhook.filter === null ? null : (parseJson(webhook.filter) as FilterJson),
    end_user_id: webhook.endUserId,
    key_id: webhook.keyId,
    enabled: webhook.enabled,
    disabled_at: webhook.disabledAt?.toISOString() ?? null,
    disabled_reason: webhook.disabledReason,
    failing_since: webhook.failingSince?.toISOString() ?? null,
    previous_secret_expires_at: until !== null && until > new Date() ? until.toISOString() : null,
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
  };
}

export function toWebhookSecretDto({ webhook, secret }: IssuedWebhook): WebhookSecretDto {
  return Object.assign(toWebhookDto(webhook), { secret });
}

export function toDeliveryDto(delivery: WebhookDeliveryEntity): DeliveryDto {
  return {
    id: delivery.deliveryId,
    type: delivery.type,
    document_id: delivery.documentId,
    status: delivery.state,
    attempts: delivery.attempts,
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    last_attempt_at: delivery.lastAttemptAt?.toISOString() ?? null,
    last_status_code: delivery.lastStatusCode,
    last_error: delivery.lastError,
    happened_at: delivery.happenedAt.toISOString(),
  };
}

/** @param rows deliveries of the page, and one further if another page follows */
export function toDeliveryListDto(rows: readonly WebhookDeliveryEntity[], limit: number): DeliveryListDto {
  const deliveries = rows.slice(0, limit).map(toDeliveryDto);
  return { deliveries, next: rows.length > limit ? (deliveries.at(-1)?.id ?? null) : null };
}
