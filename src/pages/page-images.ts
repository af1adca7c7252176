import { Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import { NotFound } from '../errors/index.js';
import { FileLinks } from '../http/links.js';
import { ObjectStore } from '../storage/object-store.js';

const LINK_SECONDS = 3_600;

/** Page images for responses: data URIs and links. */
@Injectable()
export class PageImages {
  constructor(
    private readonly objects: ObjectStore,
    private readonly links: FileLinks,
  ) {}

  /**
   * Returns an image as a data URI; null: the image was deleted, together with its document or with an older version of
   * the document.
   * @throws Unavailable if the object store is unavailable.
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

  /** Returns a link that works without an API key for an hour, or until the page is replaced. */
  link(scope: Scope, documentId: string, objectKey: string): string {
    return this.links.linkTo(scope, documentId, objectKey, LINK_SECONDS);
  }
}
