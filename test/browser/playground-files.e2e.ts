import { Service } from '../support/service.js';

describe('the playground at /', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.stop());

  it('may only connect to the service', async () => {
    const page = await service.as(null).get('/');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('cache-control')).toBe('no-cache');
  });

  it('are compressed, and cached until they change', async () => {
    const page = await service.as(null).get('/');
    const assets = [...page.text.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path]) => path!);
    expect(assets.length).toBeGreaterThan(2);
    let bytes = Buffer.byteLength(page.text);
    const compressed = (path: string): Promise<Response> =>
      service.as(null).fetch('GET', path, { headers: { 'accept-encoding': 'gzip' } });
    for (const path of assets) {
      const answer = await compressed(path);
      expect([path, answer.status, answer.headers.get('content-encoding')]).toEqual([path, 200, 'gzip']);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      bytes += Number(answer.headers.get('content-length'));
      await answer.body?.cancel();
    }
    const script = await service.as(null).get(assets.find((path) => path.endsWith('.js'))!);
    const languages = [...script.text.matchAll(/\.\/((?:en|de|fr|es|pt|zh|ja|ar)-[\w-]+\.js)/g)];
    expect(new Set(languages.map(([, name]) => name)).size).toBe(8);
    const sizes = await Promise.all(
      languages.map(async ([, name]) =>
        Number((await compressed(`/assets/${name!}`)).headers.get('content-length')),
      ),
    );
    bytes += Math.max(...sizes); // a reader loads one language
    expect(Math.min(...sizes)).toBeGreaterThan(1_000);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(200_000);
    const unknown = await service.as(null).get('/assets/nothing.js');
    expect([unknown.status, unknown.json()]).toEqual([404, { detail: 'Not Found' }]);
    expect((await service.as(null).get('/assets/..%2f..%2fmain.js')).status).toBeGreaterThanOrEqual(400);
  });

  it('are not served with PLAYGROUND=false', async () => {
    await service.terminate();
    await service.restart({ PLAYGROUND: 'false' });
    for (const path of ['/', '/assets/index.js']) {
      const answer = await service.as(null).get(path);
      expect([path, answer.status, answer.json()]).toEqual([path, 404, { detail: 'Not Found' }]);
    }
  });

  it('ask for no key with AUTH_MODE=none', async () => {
    await service.terminate();
    await service.restart({ AUTH_MODE: 'none' });
    expect((await service.as(null).get('/')).text).toContain('data-auth-mode="none"');
    await service.terminate();
    await service.restart();
    expect((await service.as(null).get('/')).text).toContain('data-auth-mode="key"');
  });
});
