import { Module } from '@nestjs/common';
import { CorpusModule } from '../corpus/corpus.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { EventFeed } from './event-feed.js';
import { EventIds } from './event-ids.js';
import { EventStreamService } from './event-stream.service.js';
import { EventSweep } from './event-sweep.js';
import { EventsController } from './events.controller.js';
import { DeliveryRepository } from './webhooks/delivery.repository.js';
import { WebhookFollowers } from './webhooks/webhook-followers.js';
import { WebhookPost } from './webhooks/webhook-post.js';
import { WebhookRepository } from './webhooks/webhook.repository.js';
import { WebhookRights } from './webhooks/webhook-rights.js';
import { WebhooksController } from './webhooks/webhooks.controller.js';
import { WebhookSecrets } from './webhooks/webhook-secrets.js';
import { WebhookSender } from './webhooks/webhook-sender.js';
import { WebhooksService } from './webhooks/webhooks.service.js';

@Module({
  imports: [CorpusModule, StorageModule],
  controllers: [EventsController, WebhooksController],
  providers: [
    EventFeed,
    EventIds,
    EventStreamService,
    EventSweep,
    DeliveryRepository,
    WebhookFollowers,
    WebhookPost,
    WebhookRepository,
    WebhookRights,
    WebhooksService,
    WebhookSecrets,
    WebhookSender,
  ],
})
export class EventsModule {}
