import { resolve } from 'node:path';
import { Module } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { LocalObjectStore } from './local/local-object-store.js';
import { ObjectStore } from './object-store.js';

/** Provides the object store selected by STORAGE. */
@Module({
  providers: [
    {
      provide: ObjectStore,
      inject: [SETTINGS],
      useFactory: async (settings: Settings): Promise<ObjectStore> => {
        if (settings.STORAGE === 's3') {
          const { S3ObjectStore } = await import('./s3/s3-object-store.js'); // loaded on demand: the SDK is large
          return new S3ObjectStore(settings);
        }
        const store = new LocalObjectStore(resolve(settings.DATA_DIR, 'files'));
        await store.removeAbandoned();
        return store;
      },
    },
  ],
  exports: [ObjectStore],
})
export class StorageModule {}
