import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Unavailable } from '../errors/index.js';
import { announcedLength, MEGABYTE } from './request-body.js';
import { onlyReads } from './request-signal.js';
import { rulesOf } from './route-rules.js';

/** What is longer waits for a place, unread. */
export const LONG_BYTES = MEGABYTE;

/** How many long bodies are in memory at once, and how many of one tenant, so that none takes every place. */
const PLACES = 4;
const PLACES_OF_TENANT = 2;

const WAIT_MS = 20_000;
const RETRY_SECONDS = 5;

/**
 * Bounds what the bodies of all requests hold in memory: long ones are read a few at a time. A request that writes keeps
 * its place until it is answered; a question gives it up when it was read, since it may wait for a model.
 */
export function boundLongBodies(fastify: FastifyInstance): void {
  const places = new Places();
  const held = new WeakMap<FastifyRequest, () => void>();
  const free = (request: FastifyRequest): void => held.get(request)?.();

  fastify.addHook('preParsing', async (request, reply) => {
    const rules = rulesOf(request);
    if (rules?.carriesDocument !== true || announcedLength(request.raw) <= LONG_BYTES) return;
    const gone = new AbortController();
    reply.raw.once('close', () => {
      gone.abort();
      free(request);
    });
    held.set(request, await places.take(request.scope?.appId ?? '', gone.signal));
    if (gone.signal.aborted) free(request);
  });
  fastify.addHook('preHandler', (request, _reply, done) => {
    if (onlyReads(request)) free(request);
    done();
  });
}

interface Waiting {
  readonly tenant: string;
  readonly enter: () => void;
}

/** Places for a few at a time, in the order of their coming but for tenants that have their share. */
export class Places {
  private readonly taken: string[] = [];
  private readonly waiting = new Set<Waiting>();

  /**
   * Waits for a place.
   * @returns what gives it back; calling it again does nothing.
   * @throws Unavailable when none is free for too long, or the caller has gone.
   */
  take(tenant: string, gone: AbortSignal, waitMs = WAIT_MS): Promise<() => void> {
    if (this.hasRoomFor(tenant)) return Promise.resolve(this.occupy(tenant));
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        gone.removeEventListener('abort', leave);
        this.waiting.delete(one);
      };
      const leave = (): void => {
        end();
        reject(new Unavailable('Too many large requests are being read', RETRY_SECONDS));
      };
      const enter = (): void => {
        end();
        resolve(this.occupy(tenant));
      };
      const one = { tenant, enter };
      const timer = setTimeout(leave, waitMs);
      gone.addEventListener('abort', leave);
      this.waiting.add(one);
    });
  }

  private hasRoomFor(tenant: string): boolean {
    const ofTenant = this.taken.filter((one) => one === tenant).length;
    return this.taken.length < PLACES && ofTenant < PLACES_OF_TENANT;
  }

  private occupy(tenant: string): () => void {
    this.taken.push(tenant);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.taken.splice(this.taken.indexOf(tenant), 1);
      for (const one of this.waiting) if (this.hasRoomFor(one.tenant)) one.enter();
    };
  }
}
