/**
 * How the fake provider behaves, spelled in the model name: parts separated by `|`, each `name` or `name:argument`.
 *
 * | Part | Effect |
 * |---|---|
 * | `text:...` | answers exactly this (default: a fixed sentence) |
 * | `encoded:...` | answers this, %-encoded, so that it may hold `|` and line breaks |
 * | `tokens:n` | answers n words |
 * | `thinks:...` | writes this before every answer, %-encoded |
 * | `reasoning:...`, `reasoning-field:name` | sends this apart, %-encoded, as `reasoning_content` or under that name |
 * | `parts` | sends content as a list of parts |
 * | `echo` | answers the messages it received, as JSON |
 * | `json:...` | answers this text, but only when JSON is asked for in any way |
 * | `repaired:...` | answers this text to a repair, and nothing valid before it |
 * | `obeys`, `obeys-after-repair`, `never-obeys`, `echoes-schema` | how it treats a schema |
 * | `prose` | wraps what it answers to a schema in prose and a code fence |
 * | `calls:name` | asks for a call of that function when it is offered, until it has the result of one |
 * | `no-tools` | refuses functions with 400 |
 * | `no-schema-mode`, `no-json-mode` | refuses that `response_format` with 400 |
 * | `delay:ms`, `token-delay:ms` | waits before the first byte, between the pieces of a stream |
 * | `holds:key`, `halfway:key` | waits until `release(key)` is called, before the answer or in the middle of a stream |
 * | `pieces:n`, `splits:seed` | characters in one piece of a stream; pieces cut at random places |
 * | `window:n` | refuses a prompt that, with `max_tokens`, is longer than n tokens |
 * | `status:code`, `status:codexN` | fails so always, or N times for this model name |
 * | `retry-after:s` | sent with a failure |
 * | `repeats-key` | a failure whose words, code and headers repeat the key it was called with |
 * | `garbage`, `html`, `empty` | answers 200 with something that is no completion |
 * | `dies` | a stream, or an answer, that is cut before its first word |
 * | `breaks`, `stops-early`, `error-event` | a stream that is cut, ends without a reason, or carries an error |
 * | `hangs`, `huge`, `redirects:url` | never answers, never ends, answers a redirect |
 * | `no-usage`, `broken-usage`, `finish:reason`, `refuses` | what stands beside the text |
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
