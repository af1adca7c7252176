import { Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { EndingKeys } from './ending-keys.js';
import { ErrorFilter } from './error.filter.js';
import { Draining } from './draining.js';
import { FileLinks, PublicUrl } from './links.js';
import { InputPipe } from './input/input.pipe.js';
import { UnknownNames } from './input/names/unknown-names.interceptor.js';
import { RateLimit } from './rate-limit.js';
import { ResumableStreams } from './resumable/resumable-streams.js';
import { Waits } from './waits.js';

/**
 * Provides validation and error responses for every controller. Exports link builders to modules that import this
 * module.
 */
@Module({
  providers: [
    { provide: APP_INTERCEPTOR, useClass: UnknownNames },
    { provide: APP_PIPE, useClass: InputPipe },
    { provide: APP_FILTER, useClass: ErrorFilter },
    Draining,
    EndingKeys,
    FileLinks,
    PublicUrl,
    RateLimit,
    ResumableStreams,
    Waits,
  ],
  exports: [FileLinks, PublicUrl, RateLimit, ResumableStreams, Waits],
})
export class HttpModule {}
