import { Module, type INestApplicationContext, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ConfigModule } from '../../src/config/config.module.js';
import { readSettings } from '../../src/config/read-settings.js';

@Module({})
class Root {}

/** Starts modules with the settings of an environment, without HTTP and logging. */
export async function startModules(
  environment: Readonly<Record<string, string>>,
  ...modules: Type[]
): Promise<INestApplicationContext> {
  const root = { module: Root, imports: [ConfigModule.with(readSettings(environment)), ...modules] };
  const options: object = { logger: false, abortOnError: false };
  return NestFactory.createApplicationContext(root, options);
}
