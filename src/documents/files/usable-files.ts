import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { DocumentReader, ParseFailure } from '#reader';
import { Invalid, UnsupportedMediaType } from '../../errors/index.js';
import { ObjectStore } from '../../storage/object-store.js';
import type { UploadedFile } from './upload-reader.js';

/** Uploads whose bytes are in memory at once. */
const AT_ONCE = 2;

/**
 * Refuses files that can never become a document, before there is a document. What only the reading finds, such as a
 * damaged page, makes the document `failed` later.
 */
@Injectable()
export class UsableFiles {
  private readonly turn = pLimit(AT_ONCE);

  constructor(
    private readonly objects: ObjectStore,
    private readonly reader: DocumentReader,
  ) {}

  /**
   * @param filename name of the document, if it is not that of the file
   * @throws UnsupportedMediaType for a type that cannot be read; Invalid for a file that is empty or needs a password
   */
  async require(
    { key, declaredType, filename: own }: UploadedFile,
    filename: string | null = own,
  ): Promise<void> {
    try {
      await this.turn(async () =>
        this.reader.judge(await this.objects.getBytes(key), { filename, declaredType }),
      );
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error;
      if (error.defect === 'type') throw new UnsupportedMediaType(error.message);
      throw Invalid.at(['body', 'file'], `Value error, ${error.message}`);
    }
  }
}
