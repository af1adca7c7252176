import { Injectable } from '@nestjs/common';
import { KeyRepository } from '../../auth/key.repository.js';
import { anybodyIn, type Scope } from '../../auth/scope.js';
import { DocumentRepository } from '../../corpus/document.repository.js';
import { NotFound } from '../../errors/index.js';
import { OF_ONE_CHAT } from '../chat.service.js';
import type { Source } from '../evidence.js';
import { documentsIn } from '../withheld.js';
import {
  type ChatLink,
  ChatLinkRepository,
  type LinkedChat,
  type LinkedTurn,
} from './chat-link.repository.js';
import { DocumentTextsRepository } from './document-texts.repository.js';
import { passagesIn, hasText, readableAnswers, type ReadableTurn, type Sight } from './readable-answers.js';

/** Says the same of an unknown, an ended and an expired link, and of a link of another tenant. */
export const NO_SHARED_CHAT = 'Shared chat not found';

/** What the link to a chat shows to a reader whom no access list names. */
export interface ChatSharing {
  /** The working link; null: the chat has none. */
  readonly link: ChatLink | null;
  readonly answers: number;
  /** Those of the answers that such a reader does not get. */
  readonly withheld: number;
  /** Their sources that the owner of the chat may read, and not everyone. */
  readonly hidden: readonly Pick<Source, 'document_id' | 'filename'>[];
}

/**
 * Shares chats by links. Who has a link reads the chat with their own rights of the moment. A link belongs to the owner of
 * the chat, not to the key that made it, and opens nothing while none of the owner's keys works.
 */
@Injectable()
export class ChatLinkService {
  constructor(
    private readonly links: ChatLinkRepository,
    private readonly documents: DocumentRepository,
    private readonly texts: DocumentTextsRepository,
    private readonly keys: KeyRepository,
  ) {}

  /** @param seconds lifetime of the link; null: until it is ended. @throws NotFound for what is no chat of the caller */
  async make(scope: Scope, chatId: string, seconds: number | null): Promise<ChatLink> {
    const link = await this.links.make(scope, chatId, seconds);
    if (link === null) throw new NotFound(OF_ONE_CHAT[404]);
    return link;
  }

  /**
   * Tells the owner of a chat what a reader of its link gets who may read only what everyone in the tenant may read.
   * @throws NotFound for what is no chat of the caller
   */
  async sharing(scope: Scope, chatId: string): Promise<ChatSharing> {
    const id = await this.links.conversationOf(scope, chatId);
    if (id === null) throw new NotFound(OF_ONE_CHAT[404]);
    const link = await this.links.linkTo(scope, id);
    const turns = (await this.links.turns(scope, id)).filter(({ role }) => role === 'assistant');
    const [anybody, readable] = await Promise.all([
      this.sightOf(anybodyIn(scope), turns),
      this.documents.readable(scope, documentsIn(turns)),
    ]);
    const sources = turns.flatMap(({ evidence }) => evidence?.sources ?? []);
    const hidden = sources.filter(
      ({ document_id: document }) => readable.has(document) && !anybody.mayRead(document),
    );
    return {
      link,
      answers: turns.length,
      withheld: readableAnswers(turns, anybody).filter(({ isWithheld }) => isWithheld).length,
      hidden: [...new Map(hidden.map((source) => [source.document_id, source])).values()],
    };
  }

  /** Does nothing for a chat without a link. @throws NotFound for what is no chat of the caller */
  async end(scope: Scope, chatId: string): Promise<void> {
    if (!(await this.links.end(scope, chatId))) throw new NotFound(OF_ONE_CHAT[404]);
  }

  /** @throws NotFound */
  async read(
    scope: Scope,
    linkId: string,
  ): Promise<{ readonly chat: LinkedChat; readonly turns: readonly ReadableTurn<LinkedTurn>[] }> {
    const chat = await this.links.find(scope, linkId);
    if (chat === null || (await this.keys.hasLostAccess(scope.appId, chat.owner))) {
      throw new NotFound(NO_SHARED_CHAT);
    }
    return { chat, turns: await this.readable(scope, chat.conversationId) };
  }

  /** The turns of a conversation as a reader gets them by its link. */
  private async readable(reader: Scope, conversationId: string): Promise<ReadableTurn<LinkedTurn>[]> {
    const turns = await this.links.turns(reader, conversationId);
    return readableAnswers(turns, await this.sightOf(reader, turns));
  }

  private async sightOf(reader: Scope, turns: readonly LinkedTurn[]): Promise<Sight> {
    const ids = documentsIn(turns);
    if (reader.reach === 'all') {
      const readable = await this.documents.readable(reader, ids);
      return { readsAll: true, mayRead: (id) => readable.has(id), stillHas: () => true };
    }
    const texts = await this.texts.list(reader, ids, passagesIn(turns));
    const readable = new Map(texts.map((text) => [text.documentId, text]));
    return {
      readsAll: false,
      mayRead: (id) => readable.has(id),
      stillHas: (source) => hasText(readable.get(source.documentId), source),
    };
  }
}
