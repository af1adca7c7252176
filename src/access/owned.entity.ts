import { Column } from 'typeorm';
import type { AccessLists } from './access-lists.js';
import type { Owner } from './principal.js';

/** Options of a column that the database computes from other columns of the row. */
export function computed(asExpression: string) {
  return { insert: false, update: false, generatedType: 'STORED', asExpression } as const;
}

function ReadersColumn(lists: string): PropertyDecorator {
  return Column({
    type: 'text',
    array: true,
    nullable: true,
    select: false,
    ...computed(`access_readers(end_user_id, ${lists})`),
  });
}

/** A thing of a person or of the tenant. Its entity has the column `end_user_id`; null: the thing is the tenant's. */
export abstract class OwnedEntity {
  /** `user:ID`, or null for a thing of the tenant. */
  @Column({ type: 'text', nullable: true, ...computed(`'user:' || end_user_id`) })
  readonly owner: Owner;
}

/** An owned thing without access lists: its person may read it or, if it is the tenant's, everyone. */
export abstract class ListlessEntity extends OwnedEntity {
  /** The principals who may read the thing. */
  @ReadersColumn('null')
  readonly readers: readonly string[];
}

/** An owned thing with access lists. */
export abstract class ListedEntity extends OwnedEntity {
  /** The thing's own access lists; null: those of the nearest folder above that has lists count. */
  @Column({ type: 'jsonb', nullable: true })
  readonly access: AccessLists | null;

  /** Access lists of the nearest folder above that has lists. */
  @Column({ type: 'jsonb', nullable: true })
  readonly folder_access: AccessLists | null;

  /** The principals who may read the thing, for the index. */
  @ReadersColumn('coalesce(access, folder_access)')
  readonly readers: readonly string[];
}
