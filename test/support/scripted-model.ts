import { startFakeServer, type FakeServer } from './fake-server.js';

/** The content of a call: the text that the rule is applied to, and the whole prompt. */
export interface ScriptedCall {
  readonly text: string;
  readonly prompt: string;
}

export interface ScriptedAnswer {
  readonly text?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly finishReason?: string;
  readonly refusal?: string;
}

/** A chat completions provider with scripted answers. */
export class ScriptedModel {
  readonly calls: ScriptedCall[] = [];
  private server: FakeServer;

  /** Returns the answer to each call. Specs set this function before the calls that it answers. */
  script: (call: ScriptedCall) => ScriptedAnswer | string = () => 'unscripted';

  static async start(): Promise<ScriptedModel> {
    const model = new ScriptedModel();
    model.server = await startFakeServer(({ body }) => {
      const { messages } = body as { messages: { role: string; content: string }[] };
      const prompt = messages.map(({ content }) => content).join('\n');
      const text = /\n(\S+) text\n(.*)\n\1 end of text/s.exec(prompt)?.[2] ?? '';
      const call = { text, prompt };
      model.calls.push(call);
      const scripted = model.script(call);
      const answer = typeof scripted === 'string' ? { text: scripted } : scripted;
      if (answer.status !== undefined) {
        return { status: answer.status, headers: answer.headers ?? {}, json: { error: { message: 'no' } } };
      }
      const message = { role: 'assistant', content: answer.text ?? null, refusal: answer.refusal ?? null };
      return { json: { choices: [{ index: 0, message, finish_reason: answer.finishReason ?? 'stop' }] } };
    });
    return model;
  }

  /** Settings of a service that uses this model. */
  get environment(): Record<string, string> {
    return { LLM_MODEL: 'openai/scripted', LLM_API_BASE: `${this.server.url}/v1`, LLM_API_KEY: 'sk-test' };
  }

  close(): Promise<void> {
    return this.server.close();
  }
}
