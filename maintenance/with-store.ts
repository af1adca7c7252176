import { ConsoleLogger, Logger, Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ConfigModule } from '../src/config/config.module.js';
import { inDataFolder } from '../src/config/data-folder.js';
import type { Settings } from '../src/config/settings.js';
import { ObjectStore } from '../src/storage/object-store.js';
import { StorageModule } from '../src/storage/storage.module.js';

@Module({})
class StorageOnly {
  static with(settings: Settings): DynamicModule {
    return { module: StorageOnly, imports: [ConfigModule.with(settings), StorageModule] };
  }
}

/** Opens the object store of the settings for a command. */
export async function withStore<T>(settings: Settings, work: (store: ObjectStore) => Promise<T>): Promise<T> {
  const context = await inDataFolder(settings, () =>
    NestFactory.createApplicationContext(StorageOnly.with(settings), {
      logger: false, // the command prints the error of a module that cannot start
      abortOnError: false,
    }),
  );
  Logger.overrideLogger(new ConsoleLogger({ logLevels: ['error', 'warn'] }));
  try {
    return await work(context.get(ObjectStore));
  } finally {
    await context.close();
  }
}
