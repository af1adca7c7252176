import { Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Settings } from '../config/settings.js';
import type { Entities } from './data-source.js';
import { openDatabase } from './open-database.js';
import { SchemaWatch } from './schema-watch.js';

/**
 * Provides the migrated `DataSource` to all modules, and repositories to modules that import
 * `TypeOrmModule.forFeature`. The data source closes in `onApplicationShutdown`, after the HTTP server has finished its
 * requests. Background work that needs the database stops earlier, in `onModuleDestroy` or `beforeApplicationShutdown`.
 */
@Module({})
export class DatabaseModule {
  /**
   * @param entities all entities of the service. The start waits up to DATABASE_START_TIMEOUT_MS for an unreachable
   * server. It fails if the database cannot be opened.
   */
  static with(settings: Settings, entities: Entities): DynamicModule {
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRootAsync({
          useFactory: () => ({ type: 'postgres', toRetry: () => false }),
          dataSourceFactory: () => openDatabase(settings, entities, settings.DATABASE_START_TIMEOUT_MS),
        }),
      ],
      providers: [SchemaWatch],
    };
  }
}
