import { fc } from '../../test/support/properties.js';
import { deliveryHeaders } from './delivery-headers.js';

describe('deliveryHeaders', () => {
  it.each([
    'text/html',
    'image/svg+xml',
    'application/xhtml+xml',
    'text/xml',
    'text/javascript',
    '',
    'TEXT/HTML',
  ])('prevent execution of %j', (type) => {
    expect(deliveryHeaders(type, 'a.html')).toEqual({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename=a.html',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    });
  });

  it.each([
    ['image/png', 'image/png'],
    ['Image/PNG; charset=x', 'image/png'],
    ['text/plain', 'text/plain; charset=utf-8'],
    ['application/pdf', 'application/pdf'],
  ])('show %s', (type, shown) => {
    const headers = deliveryHeaders(type, null);
    expect(headers).toMatchObject({ 'content-type': shown, 'content-disposition': 'inline' });
  });

  it('let a browser show a PDF, which a sandbox would prevent', () => {
    expect(deliveryHeaders('application/pdf', null)).not.toHaveProperty('content-security-policy');
  });

  it('encode any file name', () => {
    expect(deliveryHeaders('image/png', 'Größe "1"\n.png')['content-disposition']).toBe(
      `inline; filename="Gr??e \\"1\\"?.png"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%221%22%0A.png`,
    );
  });

  it.each([
    ['../../notes.pdf', 'attachment; filename=notes.pdf'],
    ['C:\\temp\\notes.pdf', 'attachment; filename=notes.pdf'],
    ['..', 'attachment'],
    ['a/', 'attachment'],
  ])('contain the base name only: %s', (filename, disposition) => {
    expect(deliveryHeaders('', filename)['content-disposition']).toBe(disposition);
  });

  it('are valid HTTP headers for any name and type', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (type, name) => {
        expect(() => new Headers(deliveryHeaders(type, name))).not.toThrow();
      }),
    );
  });
});
