import { Initial1700000018000 } from './1700000018000-initial.js';
import { PagesWithoutVectors1700000020000 } from './1700000020000-pages-without-vectors.js';
import { Impacts1700000021000 } from './1700000021000-impacts.js';
import { OneCollation1700000022000 } from './1700000022000-one-collation.js';
import { ReplicaIdentity1700000023000 } from './1700000023000-replica-identity.js';
import { Parts1700000024000 } from './1700000024000-parts.js';
import { VectorStores1700000025000 } from './1700000025000-vector-stores.js';
import { Responses1700000026000 } from './1700000026000-responses.js';
import { People1700000027000 } from './1700000027000-people.js';
import { TurnEvidence1700000028000 } from './1700000028000-turn-evidence.js';
import { Conversations1700000029000 } from './1700000029000-conversations.js';

/** All migrations in order, for embedded and native PostgreSQL. */
export const migrations = [
  Initial1700000018000,
  PagesWithoutVectors1700000020000,
  Impacts1700000021000,
  OneCollation1700000022000,
  ReplicaIdentity1700000023000,
  Parts1700000024000,
  VectorStores1700000025000,
  Responses1700000026000,
  People1700000027000,
  TurnEvidence1700000028000,
  Conversations1700000029000,
];
