import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { DocumentEventRepository } from '../corpus/document-event.repository.js';
import { Sweep } from '../database/sweep.js';

const HOUR_MS = 3_600_000;

/** Hours for which events are kept. */
const KEPT_HOURS = 24;

/** Deletes old events. */
@Injectable()
export class EventSweep extends Sweep {
  constructor(
    @Inject(SETTINGS) settings: Settings,
    private readonly events: DocumentEventRepository,
  ) {
    super(settings, 'cannot delete old events', HOUR_MS);
  }

  sweep(): Promise<void> {
    return this.events.sweep(KEPT_HOURS);
  }
}
