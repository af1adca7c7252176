import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import { DOCUMENT_EVENTS, type DocumentEventType } from '../corpus/document-events.js';
import { DOCUMENT_STATUSES, type DocumentStatus } from '../corpus/document-row.js';
import { ChoiceListField, TextField } from '../http/input/fields.js';
import { IdentifiedEvent } from '../http/event-text.js';
import { eventUnion } from '../http/event-union.js';
import { SelectionQuery } from '../retrieval/selection-fields.dto.js';

export class EventsQuery extends SelectionQuery {
  @ChoiceListField({ inText: true, values: DOCUMENT_EVENTS, description: 'Types of events. Default: all.' })
  types?: DocumentEventType[];

  @TextField({ description: 'Events of this document only.' })
  document_id?: string;

  @TextField({
    description: 'Where to go on, if the client cannot send the header `Last-Event-ID`, which counts first.',
  })
  last_event_id?: string;
}

export class EventProgressDto {
  @ApiProperty({ enum: ['queued', 'parsing', 'embedding', 'storing'], description: 'Step that runs.' })
  step: string;

  @ApiProperty({ minimum: 0, maximum: 100, description: 'Of the whole ingestion.' })
  percentage: number;
}

export class EventDocumentDto {
  @ApiProperty({ description: 'Id of the document.' })
  document_id: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'File name after the event.' })
  filename: string | null;

  @ApiProperty({ enum: DOCUMENT_STATUSES, description: 'After the event.' })
  status: DocumentStatus;

  @ApiProperty({ description: 'Version after the event.' })
  version: number;
}

export class EventProgressDocumentDto extends EventDocumentDto {
  @ApiProperty({ type: EventProgressDto, description: 'How far the ingestion is.' })
  progress: EventProgressDto;
}

export class EventFailedDocumentDto extends EventDocumentDto {
  @ApiProperty({ description: 'Reason in words.' })
  error: string;
}

class EventDto {
  @ApiProperty({ format: 'date-time', description: 'When it happened.' })
  timestamp: string;
}

const typed = (...types: readonly string[]): PropertyDecorator =>
  ApiProperty({ enum: types, description: 'What happened.' });

/** The first event of a stream. Its id is the place from which the stream goes on. */
export class StreamReadyDto extends EventDto {
  @typed('stream.ready')
  type: 'stream.ready';
}

export class StreamResetDto extends EventDto {
  @typed('stream.reset')
  type: 'stream.reset';
}

export class DocumentChangedDto extends EventDto {
  @typed('document.created', 'document.completed', 'document.updated', 'document.deleted')
  type: 'document.created' | 'document.completed' | 'document.updated' | 'document.deleted';

  @ApiProperty({ type: EventDocumentDto, description: 'The document after the event.' })
  data: EventDocumentDto;
}

export class DocumentProgressDto extends EventDto {
  @typed('document.progress')
  type: 'document.progress';

  @ApiProperty({ type: EventProgressDocumentDto, description: 'The document after the event.' })
  data: EventProgressDocumentDto;
}

export class DocumentFailedDto extends EventDto {
  @typed('document.failed')
  type: 'document.failed';

  @ApiProperty({ type: EventFailedDocumentDto, description: 'The document after the event.' })
  data: EventFailedDocumentDto;
}

export type DocumentEvent = DocumentChangedDto | DocumentProgressDto | DocumentFailedDto;
export type StreamEvent = StreamReadyDto | StreamResetDto | DocumentEvent;

/** What webhooks tell too. */
export const TOLD_MODELS = {
  'stream.reset': StreamResetDto,
  'document.created': DocumentChangedDto,
  'document.completed': DocumentChangedDto,
  'document.updated': DocumentChangedDto,
  'document.deleted': DocumentChangedDto,
  'document.progress': DocumentProgressDto,
  'document.failed': DocumentFailedDto,
} satisfies Record<Exclude<StreamEvent['type'], 'stream.ready'>, unknown>;

const MODELS = { 'stream.ready': StreamReadyDto, ...TOLD_MODELS };

export const STREAM_EVENT = eventUnion(MODELS);

const DOCUMENT = { document_id: '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a', filename: 'manual.pdf', version: 1 };
const READING = { ...DOCUMENT, status: 'processing' } as const;

const event = (id: string, type: StreamEvent['type'], data?: object): IdentifiedEvent =>
  new IdentifiedEvent(id, { type, timestamp: '2026-05-01T09:30:00.000Z', ...(data && { data }) });

/** A stream in the order in which it arrives. */
export const EVENTS_OF_A_DOCUMENT = [
  event('XIjnoibhGtEgTLjTDNXW_2y6abwy2nMT', 'stream.ready'),
  event('i1zE337sfTKngU7KSvBHrjOy1SNCZncV', 'document.created', READING),
  event('rA8JwPi_XnpLBj2GMlXxbYzpq-YA4ojZ', 'document.progress', {
    ...READING,
    progress: { step: 'embedding', percentage: 60 },
  }),
  event('zvf8E6OBgJNv-iY1SJCId44Fnwel0b7a', 'document.completed', { ...DOCUMENT, status: 'completed' }),
];

export const ApiStreamEvents = (): ClassDecorator & MethodDecorator =>
  ApiExtraModels(...Object.values(MODELS));
