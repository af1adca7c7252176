import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { DocumentEventRepository } from '../corpus/document-event.repository.js';
import { Sweep } from '../database/sweep.js';
import { KEPT_HOURS } from './kept-hours.js';
import { DeliveryRepository } from './webhooks/delivery.repository.js';

const HOUR_MS = 3_600_000;

/** Deletes old events, and what was sent of them. */
@Injectable()
export class EventSweep extends Sweep {
  constructor(
    @Inject(SETTINGS) settings: Settings,
    private readonly events: DocumentEventRepository,
    private readonly deliveries: DeliveryRepository,
  ) {
    super(settings, 'cannot delete old events', HOUR_MS);
  }

  async sweep(): Promise<void> {
    await this.deliveries.sweep(KEPT_HOURS);
    await this.events.sweep(KEPT_HOURS);
  }
}
