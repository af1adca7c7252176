import { Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Settings } from '../config/settings.js';
import type { Entities } from './data-source.js';
import { openDatabase } from './open-database.js';

/**
 * Makes the migrated `DataSource` injectable everywhere, and its repositories where a module asks for them
 * (`TypeOrmModule.forFeature`). It closes in `onApplicationShutdown`, which comes after the HTTP server has finished its
 * requests; whatever works in the background and needs the database stops earlier, in `onModuleDestroy` or
 * `beforeApplicationShutdown`.
 */
@Module({})
export class DatabaseModule {
  /** @param entities of every room. A database that does not open refuses the start; one that cannot be reached is waited for. */
  static with(settings: Settings, entities: Entities): DynamicModule {
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRootAsync({
          useFactory: () => ({ type: 'postgres', toRetry: () => false }),
          dataSourceFactory: () => openDatabase(settings, entities, settings.DATABASE_START_TIMEOUT_MS),
        }),
      ],
    };
  }
}
