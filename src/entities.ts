import { GroupEntity, GroupMemberEntity } from './access/group.entity.js';
import { ApiKeyEntity } from './auth/api-key.entity.js';
import { AuditEntryEntity } from './auth/audit/audit-entry.entity.js';
import { AuditSealEntity } from './auth/audit/audit-seal.entity.js';
import { AppEntity } from './auth/app.entity.js';
import { BrowserSessionEntity, DeviceLinkEntity } from './auth/people/browser-session.entity.js';
import { ProviderAccountEntity } from './auth/people/provider-account.entity.js';
import { RateLimitEntity } from './auth/rate-limit.entity.js';
import { ChunkEntity, CorpusStatsEntity, TermStatsEntity } from './chunks/chunk.entity.js';
import { DocumentEntity, DocumentTextEntity, MetadataOrderEntity } from './corpus/document.entity.js';
import { DocumentEventEntity } from './corpus/document-event.entity.js';
import { FolderEntity } from './corpus/folder.entity.js';
import { DocumentSummaryEntity, FolderSummaryEntity } from './corpus/summary.entity.js';
import {
  DetachedFileEntity,
  FileAttachmentEntity,
  FileBatchEntity,
  FileBatchEntryEntity,
  VectorStoreEntity,
} from './corpus/vector-stores/vector-store.entity.js';
import { WebhookDeliveryEntity, WebhookEntity } from './events/webhooks/webhook.entity.js';
import { ReplacedRowEntity } from './database/replaced-row.entity.js';
import { ServiceStateEntity } from './database/service-state.entity.js';
import { IdempotencyKeyEntity } from './http/idempotency/idempotency-key.entity.js';
import { IngestionJobEntity, IngestionTurnEntity, ObjectRemovalEntity } from './ingestion/job.entity.js';
import { LogEntryEntity } from './operations/logs/log-entry.entity.js';
import { PageEntity } from './pages/page.entity.js';
import { QuotaCountEntity } from './quotas/quota-count.entity.js';
import { FileEntity } from './corpus/vector-stores/file.entity.js';
import { ConversationEntity, DeletedItemEntity, TurnEntity } from './chats/conversation.entity.js';
import { ChatLinkEntity } from './chats/links/chat-link.entity.js';
import { AnswerFeedbackEntity } from './chats/feedback/feedback.entity.js';

/** All entities, for the service and its commands. */
export const entities = [
  AnswerFeedbackEntity,
  ApiKeyEntity,
  AppEntity,
  AuditEntryEntity,
  AuditSealEntity,
  BrowserSessionEntity,
  ChatLinkEntity,
  ChunkEntity,
  CorpusStatsEntity,
  DeletedItemEntity,
  DetachedFileEntity,
  DeviceLinkEntity,
  DocumentEntity,
  DocumentEventEntity,
  DocumentSummaryEntity,
  DocumentTextEntity,
  FileAttachmentEntity,
  FileBatchEntity,
  FileBatchEntryEntity,
  FileEntity,
  FolderEntity,
  FolderSummaryEntity,
  GroupEntity,
  GroupMemberEntity,
  IdempotencyKeyEntity,
  IngestionJobEntity,
  IngestionTurnEntity,
  LogEntryEntity,
  MetadataOrderEntity,
  ObjectRemovalEntity,
  PageEntity,
  ProviderAccountEntity,
  QuotaCountEntity,
  RateLimitEntity,
  ConversationEntity,
  ReplacedRowEntity,
  ServiceStateEntity,
  TermStatsEntity,
  TurnEntity,
  VectorStoreEntity,
  WebhookDeliveryEntity,
  WebhookEntity,
];
