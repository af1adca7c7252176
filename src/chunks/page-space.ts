import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import sql from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { changeSchema } from '../database/migrate.js';
import { run, type Queryable } from '../database/run.js';
import { StartRefused, Unavailable } from '../errors/index.js';
import { PageEmbedder } from '../multivector/page-embedder.js';
import { dropPooledIndex, makePooledIndex } from './page-index.js';

/** A space of page vectors by its model and their length. */
interface Space {
  readonly model: string;
  readonly dimensions: number;
}

const WAY_OUT =
  'run "lectern reindex" to rebuild them (with Compose: docker compose run --rm lectern lectern reindex), or set it back';

/**
 * The space that the vectors of stored pages live in, where a model sees them. Vectors of two models never meet: a start with another model over
 * existing pages is refused, and so is a page whose vectors have another length. Makes the indexes of the space.
 */
@Injectable()
export class PageSpace implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(PageEmbedder) private readonly embedder: PageEmbedder | null,
  ) {}

  /** @throws StartRefused when the model that is set has not seen the stored pages. */
  async onModuleInit(): Promise<void> {
    if (this.embedder === null) return;
    const stored = await this.stored(this.dataSource);
    if (await hasUnseenPages(this.dataSource, this.embedder.model)) {
      const by = stored === null || stored.model === this.embedder.model ? 'no model' : stored.model;
      throw new StartRefused(
        `Stored pages were embedded by ${by} and MULTIVECTOR is now ${this.embedder.model}: ${WAY_OUT}`,
      );
    }
    if (stored?.model !== this.embedder.model) return;
    await changeSchema(this.dataSource, (session) =>
      makePooledIndex(this.dataSource, session, stored.dimensions),
    );
  }

  /**
   * In the transaction that writes pages; the first of them decide.
   * @param dimensions of their vectors
   * @throws Unavailable when the stored pages belong to another space.
   */
  async join(manager: Queryable, dimensions: number): Promise<void> {
    if (this.embedder === null) throw new Error('pages are written, and nobody embeds them');
    const own: Space = { model: this.embedder.model, dimensions };
    // Most often it is the same, and nobody need wait for a lock.
    const stored = await this.stored(manager);
    if (stored !== null && isSame(stored, own)) return;
    const [row] = await run<{ value: Space }>(
      manager,
      sql`insert into service_state (name, value) values ('page_space', ${JSON.stringify(own)}::jsonb)
          on conflict (name) do update set value =
            case when exists (select from pages where vectors is not null) then service_state.value else excluded.value end
          returning value`,
    );
    const space = row?.value ?? own;
    if (isSame(space, own)) {
      await dropPooledIndex(manager);
      return makePooledIndex(this.dataSource, manager, dimensions);
    }
    throw new Unavailable(
      `The stored pages were embedded by ${space.model} (${space.dimensions} dimensions), and the page embedder is now ${own.model} (${dimensions}): ${WAY_OUT}`,
    );
  }

  private async stored(database: Queryable): Promise<Space | null> {
    const [row] = await run<{ value: Space }>(
      database,
      sql`select value from service_state where name = 'page_space'`,
    );
    return row?.value ?? null;
  }
}

/** Whether there are stored pages that a model has not seen. */
export async function hasUnseenPages(database: Queryable, model: string): Promise<boolean> {
  const rows = await run(
    database,
    sql`select from pages
        where vectors is null
          or not exists (select from service_state where name = 'page_space' and value ->> 'model' = ${model})
        limit 1`,
  );
  return rows.length > 0;
}

function isSame(one: Space, other: Space): boolean {
  return one.model === other.model && one.dimensions === other.dimensions;
}
