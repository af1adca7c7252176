import { Global, Module } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Authenticator } from './authenticator.js';
import { FirstKey } from './first-key.js';
import { KeyRepository } from './key.repository.js';
import { KeyService } from './key.service.js';
import { SigningSecret } from './signing-secret.js';

/** Who is asking, and with which key. */
@Global()
@Module({
  providers: [
    {
      provide: SigningSecret,
      inject: [SETTINGS],
      useFactory: (settings: Settings) => SigningSecret.load(settings),
    },
    KeyRepository,
    KeyService,
    Authenticator,
    FirstKey,
  ],
  exports: [Authenticator, KeyService, SigningSecret],
})
export class AuthModule {}
