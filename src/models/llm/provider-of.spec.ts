import { withProvider, type Place } from './provider-of.js';

const NONE: Place = { provider: 'extractive', apiBase: null };
const OPENAI: Place = { provider: 'openai', apiBase: 'https://api.openai.com/v1' };
const PROXY: Place = { provider: 'openai', apiBase: 'http://proxy:9000/v1' };

describe('the provider of a name without one', () => {
  it.each([
    ['llama3.1', 'http://127.0.0.1:11434', 'ollama_chat/llama3.1'],
    ['llama3.1', 'http://gpu-box:11434/v1', 'ollama_chat/llama3.1'],
    ['qwen/qwen3-8b', 'http://127.0.0.1:1234/v1', 'lm_studio/qwen/qwen3-8b'],
    ['my-model', 'http://proxy:4000', 'litellm_proxy/my-model'],
    ['gpt-4o-mini', 'https://api.openai.com/v1', 'openai/gpt-4o-mini'],
    ['llama-3.3-70b', 'https://api.groq.com/openai/v1/', 'groq/llama-3.3-70b'],
    ['my-deployment', 'https://my.openai.azure.com', 'azure/my-deployment'],
    ['meta-llama/Llama-3.3-70B', 'http://gpu-box:8000/v1', 'hosted_vllm/meta-llama/Llama-3.3-70B'],
  ])('%s follows from the address %s', (model, apiBase, named) => {
    expect(withProvider({ model, apiBase }, [NONE])).toBe(named);
  });

  it.each([
    ['gpt-4o-mini', 'openai/gpt-4o-mini'],
    ['o4-mini', 'openai/o4-mini'],
    ['claude-sonnet-4-5', 'anthropic/claude-sonnet-4-5'],
    ['gemini-2.5-flash', 'gemini/gemini-2.5-flash'],
    ['mistral-large-latest', 'mistral/mistral-large-latest'],
  ])('%s is well known', (model, named) => {
    expect(withProvider({ model, apiBase: null }, [NONE])).toBe(named);
  });

  it('is that of an address in use', () => {
    const given = { model: 'my-model', apiBase: 'http://proxy:9000/v1/' };
    expect(withProvider(given, [NONE, PROXY])).toBe('openai/my-model');
  });

  it('is that of the environment', () => {
    expect(withProvider({ model: 'my-model', apiBase: null }, [OPENAI])).toBe('openai/my-model');
    expect(withProvider({ model: 'claude-sonnet-4-5', apiBase: null }, [OPENAI])).toMatch(/^anthropic/);
    expect(withProvider({ model: 'claude-sonnet-4-5', apiBase: null }, [PROXY])).toMatch(/^openai/);
  });

  it('is asked for if nothing tells it', () => {
    expect(() => withProvider({ model: 'llama3.1', apiBase: null }, [NONE])).toThrow('needs its provider');
  });

  it('is not added to a name with a provider', () => {
    for (const model of ['extractive', 'groq/x'])
      expect(withProvider({ model, apiBase: 'http://127.0.0.1:11434' }, [NONE])).toBe(model);
  });
});
