/**
 * How the fake provider behaves. The model name spells the behaviour: parts separated by `|`, each `name` or
 * `name:argument`.
 *
 * | Part | Effect |
 * |---|---|
 * | `text:...` | answers exactly this text (default: a fixed sentence) |
 * | `encoded:...` | answers this text, which is %-encoded, so that it may contain `|` and line breaks |
 * | `tokens:n` | answers n words |
 * | `thinks:...` | writes this %-encoded text before every answer |
 * | `reasoning:...`, `reasoning-field:name` | sends this %-encoded text apart from the answer, as `reasoning_content` or under the given name |
 * | `parts` | sends content as a list of parts |
 * | `echo` | answers the messages that it received, as JSON |
 * | `json:...` | answers this text to a request with a schema |
 * | `repaired:...` | answers invalid text at first, and this text to a repair prompt |
 * | `obeys`, `obeys-after-repair`, `never-obeys`, `echoes-schema` | whether and how the answer follows the schema of the request |
 * | `prose` | puts prose and a code fence around the JSON of a request with a schema |
 * | `calls:name` | calls that function if the request offers it, unless the last message is a function result |
 * | `no-tools` | refuses functions with 400 |
 * | `no-schema-mode`, `no-json-mode` | refuses the `response_format` of this mode with 400 |
 * | `delay:ms`, `token-delay:ms` | waits before the first byte; waits between the pieces of a stream |
 * | `holds:key`, `halfway:key` | waits until `release(key)` is called, before the answer or in the middle of a stream |
 * | `pieces:n`, `splits:seed` | number of characters in one piece of a stream; cuts the pieces at random places |
 * | `window:n` | refuses a prompt that, with `max_tokens`, is longer than n tokens |
 * | `status:code`, `status:codexN` | fails with this status always, or N times for this model name |
 * | `retry-after:s` | the `Retry-After` header of a failure |
 * | `repeats-key` | a failure whose message, code and headers repeat the key of the call |
 * | `garbage`, `html`, `empty` | answers 200 with a body that is not a completion |
 * | `dies` | closes the connection before the first word |
 * | `breaks`, `stops-early`, `error-event` | a stream that breaks in the middle, that ends without a finish reason, that contains an error event |
 * | `hangs`, `huge`, `redirects:url` | never answers; sends a body without an end; answers with a redirect |
 * | `no-usage`, `broken-usage`, `finish:reason`, `refuses` | omits `usage`, sends an invalid `usage`, sets this finish reason, refuses |
 */
export class Behaviour {
  private readonly parts: ReadonlyMap<string, string>;

  constructor(readonly model: string) {
    this.parts = new Map(
      model.split('|').map((part) => {
        const colon = part.indexOf(':');
        return colon === -1 ? [part, ''] : [part.slice(0, colon), part.slice(colon + 1)];
      }),
    );
  }

  has(name: string): boolean {
    return this.parts.has(name);
  }

  text(name: string): string | undefined {
    return this.parts.get(name);
  }

  number(name: string, fallback: number): number {
    const text = this.parts.get(name);
    return text === undefined ? fallback : Number(text);
  }
}
