import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { ChatsModule } from '../chats/chats.module.js';
import { CorpusModule } from '../corpus/corpus.module.js';
import { DocumentsModule } from '../documents/documents.module.js';
import { EmbeddingModule } from '../models/embedding/embedding.module.js';
import { FoldersModule } from '../folders/folders.module.js';
import { HttpModule } from '../http/http.module.js';
import { RequestObserver } from '../http/request-observation.js';
import { IngestionModule } from '../ingestion/ingestion.module.js';
import { LlmModule } from '../models/llm/llm.module.js';
import { MultivectorModule } from '../models/multivector/multivector.module.js';
import { VectorsModule } from '../chunks/vectors/vectors.module.js';
import { AppList } from './apps/app-list.js';
import { AppService } from './apps/app.service.js';
import { AppsController } from './apps/apps.controller.js';
import { TenantRemoval } from './apps/tenant-removal.js';
import { AuditController } from './audit/audit.controller.js';
import { GroupsController } from './groups/groups.controller.js';
import { HealthController } from './health/health.controller.js';
import { HealthService } from './health/health.service.js';
import { LlmHealth } from './health/llm-health.js';
import { KeysController } from './keys/keys.controller.js';
import { LogsController } from './logs/logs.controller.js';
import { KeyUses } from './logs/key-uses.js';
import { OperationLog } from './logs/operation-log.js';
import { HealthGauges } from './metrics/health-gauges.js';
import { InstallationCounts } from './metrics/installation-counts.js';
import { MetricsController } from './metrics/metrics.controller.js';
import { MetricsService } from './metrics/metrics.service.js';
import { DevicesController } from './session/devices.controller.js';
import { DirectoryController } from './people/directory.controller.js';
import { PeopleController } from './people/people.controller.js';
import { PeopleListRepository } from './people/people-list.repository.js';
import { TenantPeopleService } from './people/tenant-people.service.js';
import { PersonExport } from './people/person-export.js';
import { PersonRemoval } from './people/person-removal.js';
import { SessionController } from './session/session.controller.js';
import { UsageController } from './usage/usage.controller.js';
import { UsageService } from './usage/usage.service.js';

/** Operator features: health, metrics, keys, tenants, usage, operation log. */
@Module({
  imports: [
    AccessModule,
    ChatsModule,
    CorpusModule,
    DocumentsModule,
    EmbeddingModule,
    FoldersModule,
    HttpModule,
    IngestionModule,
    LlmModule,
    MultivectorModule,
    VectorsModule,
  ],
  controllers: [
    HealthController,
    GroupsController,
    KeysController,
    AppsController,
    AuditController,
    LogsController,
    MetricsController,
    SessionController,
    DevicesController,
    PeopleController,
    DirectoryController,
    UsageController,
  ],
  providers: [
    AppList,
    AppService,
    HealthGauges,
    HealthService,
    InstallationCounts,
    LlmHealth,
    MetricsService,
    KeyUses,
    PeopleListRepository,
    TenantPeopleService,
    PersonExport,
    PersonRemoval,
    OperationLog,
    TenantRemoval,
    UsageService,
    { provide: RequestObserver, useExisting: OperationLog },
  ],
})
export class OperationsModule {}
