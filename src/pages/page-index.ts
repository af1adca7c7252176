import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { isEmbedded } from '../database/data-source.js';
import { withoutDeadline } from '../database/deadline.js';
import { run } from '../database/run.js';
import { encodingIndex, fingerprintIndex } from './page-statements.js';

/**
 * Makes the HNSW indexes over pages when they are missing. The embedded database goes without: in WebAssembly, which has
 * no instruction for half precision, a page would take a third of a second to be indexed, and measuring the pages of a
 * laptop takes less than that.
 */
@Injectable()
export class PageIndex implements OnModuleInit {
  constructor(private readonly dataSource: DataSource) {}

  async onModuleInit(): Promise<void> {
    if (isEmbedded(this.dataSource)) return;
    await withoutDeadline(this.dataSource, async (session) => {
      await run(session, encodingIndex());
      await run(session, fingerprintIndex());
    });
  }
}
