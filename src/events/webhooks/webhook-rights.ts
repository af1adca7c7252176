import { Injectable } from '@nestjs/common';
import { Authenticator } from '../../auth/authenticator.js';
import type { Scope } from '../../auth/scope.js';
import type { DocumentSelection } from '../../filters/document-predicate.js';
import { parseFilter } from '../../filters/parse/parse-filter.js';
import { parseJson } from '../../json/exact-json.js';
import type { WebhookEntity } from './webhook.entity.js';

/** Tells what a webhook may tell: at most what the caller who made it may read at this moment. */
@Injectable()
export class WebhookRights {
  constructor(private readonly authenticator: Authenticator) {}

  /** Returns the present rights of the maker; undefined if the key no longer works, or may no longer read. */
  scopeOf({ appId, holder }: Pick<WebhookEntity, 'appId' | 'holder'>): Promise<Scope | undefined> {
    return this.authenticator.scopeOfHolder(appId, holder);
  }
}

/** Returns the documents that a webhook is about, within what its maker may read. */
export function selectionOf({
  folders,
  folderDepth,
  filter,
  endUserId,
}: Pick<WebhookEntity, 'folders' | 'folderDepth' | 'filter' | 'endUserId'>): DocumentSelection {
  return {
    folders,
    folderDepth,
    filter: filter === null ? null : parseFilter(parseJson(filter), []),
    endUserId,
  };
}
