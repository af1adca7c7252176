import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SETTINGS, type Settings } from '../config/settings.js';
import { openDatabase, type OpenDatabase } from './open-database.js';

const OPEN_DATABASE = Symbol('OPEN_DATABASE');

/**
 * Makes the migrated TypeORM `DataSource` injectable everywhere. It closes in `onApplicationShutdown`, which comes after
 * the HTTP server has finished its requests; whatever works in the background and needs the database stops earlier, in
 * `onModuleDestroy` or `beforeApplicationShutdown`.
 */
@Global()
@Module({
  providers: [
    {
      provide: OPEN_DATABASE,
      inject: [SETTINGS],
      useFactory: (settings: Settings) => openDatabase(settings),
    },
    {
      provide: DataSource,
      inject: [OPEN_DATABASE],
      useFactory: (database: OpenDatabase) => database.dataSource,
    },
  ],
  exports: [DataSource],
})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(@Inject(OPEN_DATABASE) private readonly database: OpenDatabase) {}

  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}
