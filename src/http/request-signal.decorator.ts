import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

const signals = new WeakMap<FastifyReply, AbortSignal>();

/** Aborted when the client goes away before its answer is complete; what is done for it then can stop. */
export function signalOf(reply: FastifyReply): AbortSignal {
  const known = signals.get(reply);
  if (known !== undefined) return known;
  const controller = new AbortController();
  signals.set(reply, controller.signal);
  const response = reply.raw;
  const onClose = () => {
    if (!response.writableFinished) controller.abort(new ClientGone());
  };
  if (response.destroyed) onClose();
  else response.once('close', onClose);
  return controller.signal;
}

/** The reason of the signal. Nobody is left to be answered, so it becomes no HTTP answer. */
export class ClientGone extends Error {
  constructor() {
    super('The client went away');
    this.name = 'ClientGone';
  }
}

/** Parameter of a controller method: the `AbortSignal` of {@link signalOf}. */
export const RequestSignal = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  signalOf(context.switchToHttp().getResponse<FastifyReply>()),
);
