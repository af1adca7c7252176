import { Global, Module, type DynamicModule } from '@nestjs/common';
import { SETTINGS, type Settings } from './settings.js';

/** Provides the validated settings everywhere: `@Inject(SETTINGS) settings: Settings`. */
@Global()
@Module({})
export class ConfigModule {
  static with(settings: Settings): DynamicModule {
    return {
      module: ConfigModule,
      providers: [{ provide: SETTINGS, useValue: settings }],
      exports: [SETTINGS],
    };
  }
}
