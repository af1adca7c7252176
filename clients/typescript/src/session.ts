import type { Client } from 'openapi-fetch';
import { answered } from './answer.js';
import type { paths } from './schema.js';
import type { CallOptions, Device, DeviceLink, SessionInfo, SignedOut, Success } from './types.js';

/** Who is signed in in a browser, for pages that the service serves itself: they need no key. */
export class BrowserSession {
  constructor(private readonly raw: Client<paths>) {}

  /** Who the caller is. */
  get({ signal }: CallOptions = {}): Promise<SessionInfo> {
    return answered(this.raw.GET('/session', { signal: signal ?? null }));
  }

  /** Signs this browser in with the code of a sign-in link, or of a link to another device. */
  open(code: string, stay: boolean, { signal }: CallOptions = {}): Promise<SessionInfo> {
    return answered(this.raw.POST('/session', { body: { code, stay }, signal: signal ?? null }));
  }

  /** Signs this browser out. @returns where to sign out at the identity provider too */
  end({ signal }: CallOptions = {}): Promise<SignedOut> {
    return answered(this.raw.DELETE('/session', { signal: signal ?? null }));
  }

  /** The browsers in which the caller is signed in, newest first. */
  devices({ signal }: CallOptions = {}): Promise<Device[]> {
    return answered(this.raw.GET('/devices', { signal: signal ?? null }));
  }

  /** Makes a link that signs another device in, once, within five minutes. */
  deviceLink({ signal }: CallOptions = {}): Promise<DeviceLink> {
    return answered(this.raw.POST('/devices/link', { signal: signal ?? null }));
  }

  /** Signs a device out. */
  endDevice(id: string, { signal }: CallOptions = {}): Promise<Success> {
    const params = { path: { device_id: id } };
    return answered(this.raw.DELETE('/devices/{device_id}', { params, signal: signal ?? null }));
  }
}
