import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { Sealer } from '../../auth/sealed.js';
import { SigningSecret } from '../../auth/signing-secret.js';
import { run } from '../../database/run.js';

/** A model that an operator connected while the service runs. A null member means the provider's default. */
export interface RuntimeModel {
  /** LiteLLM-style name. */
  readonly model: string;
  readonly apiBase: string | null;
  readonly apiKey: string | null;
  readonly contextWindow: number | null;
}

export interface StoredRuntimeModel extends RuntimeModel {
  readonly savedAt: Date;
  /** Whether the stored key was encrypted with another JWT_SECRET; `apiKey` is then null. */
  readonly isKeyLost: boolean;
  /** Changes with every update. */
  readonly version: string;
}

/** Value in `service_state`. */
interface Stored {
  readonly model: string;
  readonly api_base: string | null;
  readonly sealed_key: string | null;
  readonly context_window: number | null;
  readonly saved_at: string;
}

const NAME = 'language_model';
const PURPOSE = 'model-key';

/**
 * Stores the runtime model of the installation, with its key encrypted. Exports omit it, because another installation
 * has another JWT_SECRET and may allow other addresses.
 */
@Injectable()
export class RuntimeModelRepository {
  private readonly sealer: Sealer;

  constructor(
    private readonly dataSource: DataSource,
    secret: SigningSecret,
  ) {
    this.sealer = new Sealer(secret, PURPOSE);
  }

  async find(): Promise<StoredRuntimeModel | null> {
    const [row] = await run<{ value: Stored }>(
      this.dataSource,
      sql`select value from service_state where name = ${NAME}`,
    );
    if (row === undefined) return null;
    const { model, api_base: apiBase, sealed_key: sealed, context_window, saved_at } = row.value;
    const apiKey = sealed === null ? null : this.sealer.open(sealed, placeOf({ model, apiBase }));
    return {
      model,
      apiBase,
      apiKey,
      contextWindow: context_window,
      savedAt: new Date(saved_at),
      isKeyLost: sealed !== null && apiKey === null,
      version: JSON.stringify(row.value),
    };
  }

  async save(given: RuntimeModel): Promise<void> {
    const { model, apiBase, apiKey, contextWindow } = given;
    const value: Stored = {
      model,
      api_base: apiBase,
      sealed_key: apiKey === null ? null : this.sealer.seal(apiKey, placeOf(given)),
      context_window: contextWindow,
      saved_at: new Date().toISOString(),
    };
    await run(
      this.dataSource,
      sql`insert into service_state (name, value) values (${NAME}, ${JSON.stringify(value)}::jsonb)
          on conflict (name) do update set value = excluded.value`,
    );
  }

  async delete(): Promise<void> {
    await run(this.dataSource, sql`delete from service_state where name = ${NAME}`);
  }
}

/**
 * The encryption context that binds a stored key to its provider and address. If the address in the row is changed, the
 * key cannot be decrypted, and is not sent to the other address.
 */
function placeOf({ model, apiBase }: Pick<RuntimeModel, 'model' | 'apiBase'>): string {
  return JSON.stringify([model, apiBase]);
}
