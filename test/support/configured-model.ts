import { inEnvironment, type ConfiguredModel } from '../../src/models/llm/configured-model.js';
import { settingsWith } from './settings.js';

/** The configured model of an environment, without a database. */
export function configuredModel(environment: Readonly<Record<string, string>> = {}): ConfiguredModel {
  const inUse = inEnvironment(settingsWith(environment));
  const model: Pick<ConfiguredModel, 'environment' | 'get'> = {
    environment: inUse,
    get: () => Promise.resolve(inUse),
  };
  return model as ConfiguredModel;
}
