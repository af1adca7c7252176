import { Module, type OnModuleDestroy } from '@nestjs/common';
import { DocumentReader, PageRenderer, Readers } from '#reader';
import { chunkBudget } from '../config/combinations.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { chooseTokenizer } from '../models/embedding/tokenizer-choice.js';
import { currentSignal } from '../request/request-context.js';

/** The pool of reader processes of this service. A task is aborted with the request or job that starts it. */
class ServiceReaders extends Readers implements OnModuleDestroy {
  constructor(settings: Settings) {
    super({
      tokenizer: chooseTokenizer(settings),
      chunks: chunkBudget(settings),
      office: settings.SOFFICE_PATH,
      currentSignal,
    });
  }

  onModuleDestroy(): Promise<void> {
    return this.close();
  }
}

/** Provides the reader with the settings of the service. */
@Module({
  providers: [
    {
      provide: Readers,
      inject: [SETTINGS],
      useFactory: (settings: Settings) => new ServiceReaders(settings),
    },
    {
      provide: DocumentReader,
      inject: [Readers],
      useFactory: (readers: Readers) => new DocumentReader(readers),
    },
    { provide: PageRenderer, inject: [Readers], useFactory: (readers: Readers) => new PageRenderer(readers) },
  ],
  exports: [DocumentReader, PageRenderer],
})
export class ReadingModule {}
