import type { IncomingHttpHeaders } from 'node:http';

export interface WireMessage {
  readonly role: string;
  readonly content:
    | string
    | readonly { readonly type: string; readonly text?: string; readonly image_url?: { url: string } }[]
    | null;
}

export interface WireBody {
  readonly model: string;
  readonly messages: readonly WireMessage[];
  readonly stream?: boolean;
  readonly input?: string | readonly string[];
  readonly response_format?: {
    readonly type: string;
    readonly json_schema?: { readonly schema: unknown; readonly strict?: boolean };
  };
  readonly tools?: readonly {
    readonly function: { readonly name: string; readonly parameters?: unknown };
  }[];
  readonly [parameter: string]: unknown;
}

/** One request as the fake provider received it. */
export class Call {
  /** Whether the client disconnected before the end of the response. */
  aborted = false;
  answered = false;
  /** Whether the response was a failure. */
  refused = false;

  constructor(
    readonly path: string,
    readonly headers: IncomingHttpHeaders,
    readonly body: WireBody,
    readonly raw: string,
  ) {}

  /** Returns the text of the messages of one role, in order. */
  texts(role: string): string[] {
    return this.body.messages
      .filter((message) => message.role === role)
      .map(({ content }) =>
        typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join(''),
      );
  }

  /** Returns the last user message. */
  get question(): string {
    return this.texts('user').at(-1) ?? '';
  }
}
