import { AsyncLocalStorage } from 'node:async_hooks';
import { Inject, Injectable, ValidationPipe, type ArgumentMetadata } from '@nestjs/common';
import { validate, validateSync, type ValidationError } from 'class-validator';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Invalid, type Location } from '../../errors/index.js';
import { invalidFrom } from './exception-factory.js';
import { plainToInstance, type Type } from './plain-to-instance.js';

const PLACES = { body: ['body'], query: ['query'], param: ['path'], custom: [] } as const;

/** One error for each member, with the object that it is a member of. */
const OPTIONS = {
  stopAtFirstError: true,
  forbidUnknownValues: false,
  validationError: { target: true, value: true },
} as const;

const settingsInForce = new AsyncLocalStorage<Settings>();

/** For constraints whose bounds are configured. class-validator makes them once for a process, not for an application. */
export function inputSettings(): Settings {
  const settings = settingsInForce.getStore();
  if (settings === undefined) throw new Error('no input is being validated');
  return settings;
}

/** Bodies, query strings and path parameters as instances of their classes. */
@Injectable()
export class InputPipe extends ValidationPipe {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {
    super({
      ...OPTIONS,
      transform: true,
      transformerPackage: { plainToInstance: plainToInstance as never, classToPlain: Object },
      validatorPackage: { validate },
      exceptionFactory: invalidFrom,
    });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    try {
      return (await super.transform(value, metadata)) as unknown;
    } catch (error) {
      throw error instanceof Invalid ? error.under(PLACES[metadata.type]) : error;
    }
  }

  protected override validate(input: object): ValidationError[] {
    return errorsOf(input, this.settings);
  }

  // The pipe would change what came before the class sees it; free-form members are to stay as they are.
  protected override toEmptyIfNil(value: unknown): never {
    return value as never;
  }

  protected override closeArrayGaps(): void {
    // JSON has none.
  }

  protected override stripProtoKeys(): void {
    // They are keys like others.
  }
}

/**
 * What the pipe does, for input that is no argument of a controller: members of forms, bodies with two forms.
 * @throws Invalid with everything that is wrong, located under `loc`.
 */
export function readInput<T extends object>(
  type: Type<T>,
  raw: unknown,
  loc: Location,
  settings: Settings,
): T {
  try {
    const input = plainToInstance(type, raw);
    const errors = errorsOf(input, settings);
    if (errors.length > 0) throw invalidFrom(errors);
    return input;
  } catch (error) {
    throw error instanceof Invalid ? error.under(loc) : error;
  }
}

function errorsOf(input: object, settings: Settings): ValidationError[] {
  return settingsInForce.run(settings, () => validateSync(input, OPTIONS));
}
