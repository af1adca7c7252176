import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import { Invalid, type InvalidItem } from '../../../errors/index.js';
import { isJsonObject } from '../../../json/exact-json.js';
import { isProtocolPath } from '../../protocol-path.js';
import { rulesOf } from '../../routes.js';
import { isInputClass, itemsOf, readInput, type Type } from '../input.pipe.js';
import { namesOf } from './known-names.js';
import { ignoredHeader, judgeNames, type JudgedNames, wantsStrictHandling } from './unknown-names.js';

/** The classes that read the body and the query string of a handler; `any`: the handler reads the body itself. */
interface Inputs {
  readonly body: Type | 'any' | null;
  readonly query: Type | null;
}

const noted = new WeakMap<FastifyRequest, string[]>();

/**
 * Refuses the unknown members and parameters of every request that are probably mistakes, and lists the others in the
 * header `Lectern-Ignored`. `Prefer: handling=strict` refuses them all.
 */
@Injectable()
export class UnknownNames implements NestInterceptor {
  private readonly inputs = new WeakMap<object, Inputs>();

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { body, query } = this.inputsOf(context);
    const bodyNames = body === null || body === 'any' ? [] : namesOf(body);
    const queryNames = query === null ? [] : namesOf(query);
    const given = { body: request.body, query: request.query };
    const isData = isJsonObject(given.body) && rulesOf(request)?.isData(given.body) === true;
    const judged = [
      ...(isJsonObject(given.body) && body !== 'any' && !isData
        ? [judge(request, given.body, 'body', bodyNames, queryNames)]
        : []),
      ...(isJsonObject(given.query) ? [judge(request, given.query, 'query', queryNames, bodyNames)] : []),
    ];
    const refused = judged.flatMap((one) => one.refused);
    if (refused.length > 0) throw new Invalid([...this.otherErrors(given, { body, query }), ...refused]);
    noteIgnored(request, judged, context.switchToHttp().getResponse<FastifyReply>());
    return next.handle();
  }

  /** The errors of the known members, which are reported together with the unknown ones. */
  private otherErrors(
    given: { readonly body: unknown; readonly query: unknown },
    { body, query }: Inputs,
  ): readonly InvalidItem[] {
    const of = (type: Inputs['body'], value: unknown, place: string): readonly InvalidItem[] =>
      type === null || type === 'any' ? [] : itemsOf(() => readInput(type, value, [place], this.settings));
    return [...of(body, given.body, 'body'), ...of(query, given.query, 'query')];
  }

  private inputsOf(context: ExecutionContext): Inputs {
    const [controller, handler] = [context.getClass(), context.getHandler()];
    const known = this.inputs.get(handler);
    if (known !== undefined) return known;
    const taken = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler.name) ?? {}) as Readonly<
      Record<string, { readonly index: number }>
    >;
    const types = Reflect.getMetadata('design:paramtypes', controller.prototype as object, handler.name) as
      readonly unknown[] | undefined;
    const typeOf = (kind: RouteParamtypes): Type | 'any' | null => {
      const [, argument] = Object.entries(taken).find(([key]) => key.startsWith(`${kind}:`)) ?? [];
      if (argument === undefined) return null;
      const type = types?.[argument.index];
      return isInputClass(type) ? type : 'any';
    };
    const query = typeOf(RouteParamtypes.QUERY);
    const inputs = { body: typeOf(RouteParamtypes.BODY), query: query === 'any' ? null : query };
    this.inputs.set(handler, inputs);
    return inputs;
  }
}

/** Decides on the unknown names of one place of a request. */
function judge(
  request: FastifyRequest,
  given: Readonly<Record<string, unknown>>,
  place: 'body' | 'query',
  known: readonly string[],
  elsewhere: readonly string[],
): JudgedNames {
  return judgeNames(given, {
    place: [place],
    known: [...known, ...principalsIn(request, given)],
    elsewhere: { place: place === 'body' ? 'query string' : 'body', known: elsewhere },
    isStrict: wantsStrictHandling(request.headers.prefer),
    isForeign: isProtocolPath(request.routeOptions.url ?? ''),
  });
}

/** Every route reads for whom a request acts, see `access/acting-for.ts`. */
function principalsIn(
  { scope }: FastifyRequest,
  given: Readonly<Record<string, unknown>>,
): readonly string[] {
  const isPerson = scope !== null && scope.endUserId !== null;
  return isPerson || 'groups' in given ? ['groups', 'end_user_id'] : ['groups'];
}

/**
 * Decides on the unknown fields of a form that a route reads itself.
 * @throws Invalid for probable mistakes
 */
export function judgeForm(
  request: FastifyRequest,
  fields: Readonly<Record<string, unknown>>,
  known: readonly string[],
): void {
  const judged = judge(request, fields, 'body', known, []);
  if (judged.refused.length > 0) throw new Invalid(judged.refused);
  noteIgnored(request, [judged]);
}

function noteIgnored(request: FastifyRequest, judged: readonly JudgedNames[], reply?: FastifyReply): void {
  const names = [...(noted.get(request) ?? []), ...judged.flatMap(({ ignored }) => ignored)];
  if (names.length === 0) return;
  noted.set(request, names);
  // The headers of a stream are sent without the hook below.
  void reply?.header('lectern-ignored', ignoredHeader(names));
}

/** Sets `Lectern-Ignored`, and `Preference-Applied` for requests that ask for strict handling. */
export function installIgnoredNames(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (wantsStrictHandling(request.headers.prefer)) {
      void reply.header('preference-applied', 'handling=strict');
    }
    done();
  });
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    const names = noted.get(request);
    if (names !== undefined) void reply.header('lectern-ignored', ignoredHeader(names));
    done();
  });
}
