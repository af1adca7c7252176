import { LecternError } from '@lectern/client';
import { says } from '@lectern/evaluation';
import { parseQuestions } from './question-file.js';
import type { FoundPassage, ServiceUnderTest } from './service-under-test.js';

/** Minimum length of a passage to ask about, in characters. */
const MIN_PASSAGE = 120;
/** Maximum number of chunks per document to choose from. */
const CHUNKS = 1_000;

const INSTRUCTIONS =
  'You write questions that test a search over documents. A question is asked by somebody who has not seen the passage, so it names its subject. The passage contains the answer.';

const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['question', 'answer', 'quote'],
  properties: {
    question: { type: 'string', description: 'One question in one sentence, in the language of the passage' },
    answer: {
      type: 'string',
      description: 'The answer in as few words as possible, in the words of the passage',
    },
    quote: {
      type: 'string',
      description: 'A short sentence of the passage that contains the answer, word for word',
    },
  },
};

interface Written {
  readonly question: string;
  readonly answer: string;
  readonly quote: string;
}

/** The number of processed passages, and the number of questions drafted from them. */
export interface Drafted {
  readonly passages: number;
  readonly questions: number;
}

/** Drafts questions about passages sampled from all documents, with the service's model. */
export class Drafting {
  constructor(private readonly service: ServiceUnderTest) {}

  /**
   * @param onQuestion called with each question, as a line, as soon as the model has written it, because model calls
   *   may cost money
   * @param onPassage called after each passage
   * @throws Error if the service has no language model or no documents, or no question was written
   */
  async write(
    count: number,
    onQuestion: (line: string) => Promise<void>,
    onPassage: (done: number) => void,
  ): Promise<Drafted> {
    await this.requireModel();
    const written = new Set<string>();
    const passages = await this.passages(count);
    for (const [index, passage] of passages.entries()) {
      const line = await this.questionAbout(passage);
      if (line !== null && !written.has(line.question)) {
        written.add(line.question);
        await onQuestion(JSON.stringify(line));
      }
      onPassage(index + 1);
    }
    if (written.size === 0) {
      throw new Error(`The model wrote no question about any of ${passages.length} passages`);
    }
    return { passages: passages.length, questions: written.size };
  }

  private async requireModel(): Promise<void> {
    if ((await this.service.model()) !== 'extractive') return;
    throw new Error(
      'A draft needs a language model, but this service has none: set LLM_MODEL (docs/guide/models.md), or write the questions by hand (docs/guide/evaluation.md)',
    );
  }

  /** Passages spread evenly over documents, and within each document. */
  private async passages(count: number): Promise<FoundPassage[]> {
    const ids = spread(await this.service.completedDocuments(), count);
    if (ids.length === 0) throw new Error('The service has no documents to ask about');
    const passages: FoundPassage[] = [];
    for (const [index, id] of ids.entries()) {
      const share = Math.floor((count + index) / ids.length);
      const { value } = await this.service.retrieve('content', CHUNKS, { filters: { external_id: id } });
      const telling = value
        .filter(({ content }) => content.length >= MIN_PASSAGE)
        .sort((a, b) => a.chunkNumber - b.chunkNumber);
      passages.push(...spread(telling.length > 0 ? telling : value, share));
    }
    return passages;
  }

  /**
   * Asks the model for a question about a passage. Returns a line for the question file, or null if the question is not
   * usable.
   */
  private async questionAbout(passage: FoundPassage): Promise<{ readonly question: string } | null> {
    const { documentId, content, page } = passage;
    try {
      const written = await this.service.completion({
        query: `Write a question about this passage.\n\n${content}`,
        filters: { external_id: documentId },
        k: 1,
        schema: SCHEMA,
        prompt_overrides: { query: { system_prompt: INSTRUCTIONS } },
      });
      const { question, answer, quote } = written as unknown as Written;
      const line = {
        question,
        document: await this.nameOf(passage),
        ...(page === null ? {} : { page }),
        ...(quote !== '' && content.includes(quote) ? { quote } : {}),
        ...(says(content, answer) ? { answer } : {}),
      };
      return parseQuestions(JSON.stringify(line)).problems.length === 0 ? line : null;
    } catch (error) {
      if (!(error instanceof LecternError) || [0, 401, 403].includes(error.status)) throw error;
      return null; // the model violated the schema or rejected the passage
    }
  }

  /** The document's file name if no other document has it, otherwise its id. */
  private async nameOf({ documentId, filename }: FoundPassage): Promise<string> {
    const documents = filename === null ? [] : await this.service.documentsCalled([filename]);
    return filename !== null && documents.length === 1 ? filename : documentId;
  }
}

/** Returns `count` elements at equal distances in the list. */
function spread<T>(list: readonly T[], count: number): T[] {
  if (list.length <= count) return [...list];
  return Array.from(
    { length: count },
    (_, index) => list[Math.floor(((index + 0.5) * list.length) / count)],
  ).filter((one) => one !== undefined);
}
