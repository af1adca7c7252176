import { Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { ErrorFilter } from './error.filter.js';
import { InputPipe } from './input/input.pipe.js';

/** What every controller gets without asking: validated input, errors in the documented shape. */
@Module({
  providers: [
    { provide: APP_PIPE, useClass: InputPipe },
    { provide: APP_FILTER, useClass: ErrorFilter },
  ],
})
export class HttpModule {}
