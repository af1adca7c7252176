import { budgetOf, type ChunkBudget } from '../../splitting/chunk-budget.js';
import { loadTokenizer, type TokenizerChoice } from '../../tokenizers/load-tokenizer.js';
import type { Tokenizer } from '../../tokenizers/tokenizer.js';
import { NO_CONTEXT, outlineOf } from '../../splitting/outline.js';
import { ContextFinder, retitledContext } from '../../splitting/context.js';
import type { Piece, SplitOptions } from '../../splitting/piece.js';
import { piecesOf } from '../../splitting/split.js';
import type { ContextHints, Result, TextTask } from './messages.js';

type PiecesTask = Exclude<TextTask, { kind: 'split' }>;

/** Pieces per message. */
const PIECES = 500;

/** Splits texts into chunks, in tokens of the embedding model, and finds their contexts. */
export class Splitter {
  private constructor(
    private readonly counter: Tokenizer,
    private readonly chunks: ChunkBudget,
  ) {}

  /** Loads the tokenizer, which takes 50 to 350 ms and 18 to 70 MB of memory. */
  static async load(tokenizer: TokenizerChoice, chunks: ChunkBudget): Promise<Splitter> {
    return new Splitter(await loadTokenizer(tokenizer), chunks);
  }

  *carryOut(task: TextTask): Generator<Result, void> {
    if (task.kind === 'split') {
      const { contentType, lead } = task.hints;
      yield* this.split(
        task.text,
        { ...(contentType && { contentType }), ...(lead && { lead }) },
        task.hints,
      );
      return;
    }
    const pieces = task.kind === 'titles' ? this.retitled(task) : this.withContexts(task);
    yield { kind: 'pieces', pieces, of: task.text.length };
  }

  private withContexts({ text, pieces, hints }: PiecesTask): Piece[] {
    const finder = this.contextsIn(text, hints);
    return pieces.map((piece) => ({ ...piece, context: finder.contextOf(piece) }));
  }

  private retitled({ text, pieces, hints: { title = null, chunks } }: PiecesTask): Piece[] {
    const budget = { counter: this.counter, tokens: budgetOf(chunks, this.chunks).context };
    return pieces.map((piece) => ({
      ...piece,
      context: retitledContext(
        piece.context ?? NO_CONTEXT,
        text.slice(piece.start, piece.end),
        title,
        budget,
      ),
    }));
  }

  *split(text: string, how: Partial<SplitOptions>, hints: ContextHints): Generator<Result, void> {
    const { counter } = this;
    const chunks = budgetOf(hints.chunks, this.chunks);
    const size = chunks.size - chunks.context;
    const overlap = Math.min(chunks.overlap, Math.floor(size / 2));
    const contexts = this.contextsIn(text, hints);
    let pieces: Piece[] = [];
    for (const piece of piecesOf(text, { counter, size, overlap, ...how })) {
      pieces.push({ ...piece, context: contexts.contextOf(piece) });
      if (pieces.length < PIECES) continue;
      yield { kind: 'pieces', pieces, of: text.length };
      pieces = [];
    }
    yield { kind: 'pieces', pieces, of: text.length };
  }

  private contextsIn(
    text: string,
    { contentType, title = null, above, chunks }: ContextHints,
  ): ContextFinder {
    const budget = { counter: this.counter, tokens: budgetOf(chunks, this.chunks).context };
    return new ContextFinder(text, outlineOf(text, contentType, above?.table), title, budget, above);
  }
}
