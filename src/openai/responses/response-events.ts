import { NamedEvent } from '../../http/event-text.js';
import type { ToolCallDelta } from '../../models/llm/language-model.js';
import type { Answer, AnswerPiece } from '../../answering/turn.js';
import {
  annotationsOf,
  callsOf,
  concludedState,
  conclusionOf,
  type FileSearch,
  hasMessage,
  IN_PROGRESS,
  messageItem,
  OutputBuilder,
  type ResponseObject,
  responseObject,
  textOf,
} from './response-object.js';
import type { Draft } from './draft.service.js';
import type { FunctionCallItem, OutputItem } from './items.js';

/** An item that has begun in the stream and not ended. */
type OpenItem =
  | { readonly type: 'message'; readonly id: string; readonly at: number; readonly refused: boolean }
  | { readonly type: 'call'; readonly item: FunctionCallItem; readonly index: number; readonly at: number };

/**
 * Creates the events of one streamed response, in the order of the protocol: an item ends before the next item begins.
 * Only the first item of an answer is streamed. All further items are sent as a whole when the answer ends.
 */
export class ResponseEvents {
  private sequence = 0;
  private readonly output: OutputItem[] = [];
  private readonly builder: OutputBuilder;
  private open: OpenItem | undefined;
  /** Indexes of the calls, in the order in which they began. */
  private readonly begun: number[] = [];
  /** The text of all deltas sent so far. */
  private sent = '';

  constructor(
    private readonly draft: Draft,
    private readonly fileSearch: FileSearch | null,
  ) {
    this.builder = new OutputBuilder(draft, fileSearch);
  }

  *begin(): Generator<NamedEvent> {
    const { stamp, dto } = this.draft;
    const response = responseObject(stamp, dto, IN_PROGRESS);
    yield this.event('response.created', { response });
    yield this.event('response.in_progress', { response });
    const search = this.builder.fileSearchCall();
    if (search === null) return;
    const place = { output_index: 0, item_id: search.id };
    const begun = { ...search, status: 'in_progress', queries: [], results: null };
    yield this.event('response.output_item.added', { output_index: 0, item: begun });
    yield this.event('response.file_search_call.in_progress', place);
    yield this.event('response.file_search_call.searching', place);
    yield this.event('response.file_search_call.completed', place);
    yield this.event('response.output_item.done', { output_index: 0, item: search });
    this.output.push(search);
  }

  /** Events of a piece of the answer. Yields nothing for items that are sent as a whole at the end. */
  *piece(event: AnswerPiece): Generator<NamedEvent> {
    if (event.type === 'reasoning' || event.type === 'retraction') return;
    if (event.type === 'calls') {
      for (const delta of event.deltas) yield* this.callPiece(delta);
      return;
    }
    // A structured answer is not streamed, because it may be repaired, and events cannot be taken back.
    if (this.draft.turn.schema !== null) return;
    if (this.open === undefined) yield* this.openMessage(event.refused === true);
    if (this.open?.type === 'message') yield this.textDelta(this.open, event.text);
  }

  /** Ends every item. @returns the response */
  *end(answer: Answer): Generator<NamedEvent, ResponseObject> {
    const calls = callsOf(answer);
    if (this.open?.type === 'call') {
      const streamed = this.begun.indexOf(this.open.index);
      yield* this.endCall(this.open, calls[streamed]?.arguments ?? '', answer);
      if (hasMessage(answer)) yield* this.wholeMessage(answer);
      yield* this.wholeCalls(answer, (at) => at !== streamed);
    } else {
      if (hasMessage(answer)) yield* this.wholeMessage(answer);
      yield* this.wholeCalls(answer, () => true);
    }
    const { stamp, dto } = this.draft;
    return responseObject(stamp, dto, concludedState(answer, this.output));
  }

  /** The last event of a response. */
  concluded(response: ResponseObject): NamedEvent {
    return this.event(`response.${response.status}`, { response });
  }

  /**
   * Events of a failure: `error`, and then `response.failed`. The members of `error` are sent both at the top level and
   * nested, because each form has clients that require it.
   */
  *failed(error: {
    readonly type: string;
    readonly code: string | null;
    readonly message: string;
    readonly param: string | null;
  }): Generator<NamedEvent> {
    const { type, code, message, param } = error;
    yield this.event('error', { code, message, param, error: { type, code, message, param } });
    const { stamp, dto } = this.draft;
    const state = {
      ...IN_PROGRESS,
      status: 'failed',
      error: { code: codeOf(type), message },
      output: this.output,
    } as const;
    yield this.event('response.failed', { response: responseObject(stamp, dto, state) });
  }

  private *openMessage(refused: boolean): Generator<NamedEvent> {
    const at = this.output.length;
    const id = this.builder.messageId();
    this.open = { type: 'message', id, at, refused };
    const item = { id, type: 'message', role: 'assistant', status: 'in_progress', content: [] };
    yield this.event('response.output_item.added', { output_index: at, item });
    const part = refused
      ? { type: 'refusal', refusal: '' }
      : { type: 'output_text', text: '', annotations: [], logprobs: [] };
    yield this.event('response.content_part.added', { ...this.part(id, at), part });
  }

  private *wholeMessage(answer: Answer): Generator<NamedEvent> {
    if (this.open?.type !== 'message') yield* this.openMessage(answer.refused === true);
    const { open } = this;
    if (open?.type !== 'message') return;
    const text = textOf(answer);
    if (this.sent === '' && text !== '') yield this.textDelta(open, text);
    const annotations = annotationsOf(answer.citations, this.fileSearch);
    const place = this.part(open.id, open.at);
    const item = messageItem(open.id, answer, annotations);
    if (open.refused) {
      yield this.event('response.refusal.done', { ...place, refusal: text });
      yield this.event('response.content_part.done', { ...place, part: item.content[0] });
      yield* this.endItem(item);
      return;
    }
    for (const [index, annotation] of annotations.entries()) {
      yield this.event('response.output_text.annotation.added', {
        ...place,
        annotation_index: index,
        annotation,
      });
    }
    yield this.event('response.output_text.done', { ...place, text, logprobs: [] });
    yield this.event('response.content_part.done', { ...place, part: item.content[0] });
    yield* this.endItem(item);
  }

  private *callPiece({ index, id = '', name, arguments: given }: ToolCallDelta): Generator<NamedEvent> {
    if (!this.begun.includes(index)) this.begun.push(index);
    if (this.open === undefined) {
      if (name === undefined) return;
      yield* this.openCall(index, id, name);
    }
    if (this.open?.type !== 'call' || this.open.index !== index || given === '') return;
    yield this.argumentsDelta(this.open, given);
  }

  private *openCall(index: number, id: string, name: string): Generator<NamedEvent> {
    const item = this.builder.functionCall(id, name);
    const at = this.output.length;
    this.open = { type: 'call', item, index, at };
    yield this.event('response.output_item.added', { output_index: at, item });
  }

  private *wholeCalls(answer: Answer, isLeft: (index: number) => boolean): Generator<NamedEvent> {
    for (const [index, call] of callsOf(answer).entries()) {
      if (!isLeft(index)) continue;
      yield* this.openCall(index, call.id, call.name);
      if (this.open?.type !== 'call') continue;
      if (call.arguments !== '') yield this.argumentsDelta(this.open, call.arguments);
      yield* this.endCall(this.open, call.arguments, answer);
    }
  }

  private *endCall(
    { item, at }: Extract<OpenItem, { type: 'call' }>,
    given: string,
    answer: Answer,
  ): Generator<NamedEvent> {
    const done = { ...item, arguments: given, status: conclusionOf(answer).status };
    yield this.event('response.function_call_arguments.done', {
      item_id: item.id,
      output_index: at,
      name: item.name,
      arguments: given,
    });
    yield* this.endItem(done);
  }

  private *endItem(item: OutputItem): Generator<NamedEvent> {
    yield this.event('response.output_item.done', { output_index: this.output.length, item });
    this.output.push(item);
    this.open = undefined;
  }

  private textDelta({ id, at, refused }: Extract<OpenItem, { type: 'message' }>, delta: string): NamedEvent {
    this.sent += delta;
    if (refused) return this.event('response.refusal.delta', { ...this.part(id, at), delta });
    return this.event('response.output_text.delta', { ...this.part(id, at), delta, logprobs: [] });
  }

  private argumentsDelta({ item, at }: Extract<OpenItem, { type: 'call' }>, delta: string): NamedEvent {
    return this.event('response.function_call_arguments.delta', {
      item_id: item.id,
      output_index: at,
      delta,
    });
  }

  private part(id: string, at: number): object {
    return { item_id: id, output_index: at, content_index: 0 };
  }

  private event(type: string, members: object): NamedEvent {
    const data = { type, sequence_number: this.sequence, ...members };
    this.sequence += 1;
    return new NamedEvent(type, data);
  }
}

/** The code of a failed response, from the type of its error. */
function codeOf(type: string): string {
  if (type === 'rate_limit_error') return 'rate_limit_exceeded';
  return type === 'server_error' ? type : 'invalid_prompt';
}
