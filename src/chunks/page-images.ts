import { Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import { NotFound } from '../errors/index.js';
import { FileLinks } from '../http/links.js';
import { ObjectStore } from '../storage/object-store.js';

/** Seconds for which a link to a page works. */
const LINK_SECONDS = 3_600;

/** The images of pages as answers carry them. */
@Injectable()
export class PageImages {
  constructor(
    private readonly objects: ObjectStore,
    private readonly links: FileLinks,
  ) {}

  /**
   * A data URI; null when the image has gone, with its document or with the version that it belonged to.
   * @throws Unavailable when the object store is down.
   */
  async dataUri(objectKey: string): Promise<string | null> {
    try {
      const png = await this.objects.getBytes(objectKey);
      return `data:image/png;base64,${png.toString('base64')}`;
    } catch (error) {
      if (error instanceof NotFound) return null;
      throw error;
    }
  }

  /** A link that works without a key for an hour, or until the document has other pages. */
  link(scope: Scope, documentId: string, objectKey: string): string {
    return this.links.linkTo(scope, documentId, objectKey, LINK_SECONDS);
  }
}
