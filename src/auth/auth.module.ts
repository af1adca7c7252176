import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessModule } from '../access/access.module.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { AuditEntryEntity } from './audit/audit-entry.entity.js';
import { AuditLog } from './audit/audit-log.js';
import { AuditSealing } from './audit/audit-sealing.js';
import { RefusalCounts } from './audit/refusal-counts.js';
import { AppEntity } from './app.entity.js';
import { AppRepository } from './app.repository.js';
import { AuthGuard } from './auth.guard.js';
import { Authenticator } from './authenticator.js';
import { BrowserTokenService } from './browser-token.service.js';
import { FirstKey } from './first-key.js';
import { KeyRepository } from './key.repository.js';
import { KeyService } from './key.service.js';
import { AccessTokens } from './people/access-tokens.js';
import { BrowserSessionRepository } from './people/browser-session.repository.js';
import { BrowserSessions } from './people/browser-sessions.js';
import { IdentityProvider } from './people/identity-provider.js';
import { OidcRenewals } from './people/oidc-renewals.js';
import { OidcSignIn } from './people/oidc-sign-in.js';
import { PeopleRepository } from './people/people.repository.js';
import { PeopleService } from './people/people.service.js';
import { SignInService } from './sign-in.service.js';
import { SigningSecret } from './signing-secret.js';
import { UnfinishedRestores } from './unfinished-restores.js';
import { WrongKeys } from './wrong-keys.js';

/** Authentication and authorisation. The guard runs before every route. */
@Global()
@Module({
  imports: [AccessModule, TypeOrmModule.forFeature([ApiKeyEntity, AppEntity, AuditEntryEntity])],
  providers: [
    {
      provide: SigningSecret,
      inject: [SETTINGS],
      useFactory: (settings: Settings) => SigningSecret.load(settings),
    },
    AppRepository,
    AuditLog,
    AuditSealing,
    RefusalCounts,
    KeyRepository,
    KeyService,
    SignInService,
    BrowserTokenService,
    WrongKeys,
    UnfinishedRestores,
    PeopleRepository,
    PeopleService,
    IdentityProvider,
    AccessTokens,
    BrowserSessionRepository,
    OidcRenewals,
    BrowserSessions,
    OidcSignIn,
    Authenticator,
    AuthGuard,
    { provide: APP_GUARD, useExisting: AuthGuard },
    FirstKey,
  ],
  exports: [
    AppRepository,
    AuditLog,
    AuthGuard,
    Authenticator,
    BrowserSessions,
    BrowserTokenService,
    RefusalCounts,
    KeyRepository,
    KeyService,
    OidcSignIn,
    PeopleRepository,
    SignInService,
    SigningSecret,
    WrongKeys,
  ],
})
export class AuthModule {}
