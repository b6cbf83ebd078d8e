/** The hook that passes rejected requests of API keys to the API log (docs/api-log.md). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientAddress } from '../../net/client-network.ts';
import { Nothing } from './operation.ts';
import type { HttpServices } from './services.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The parsed body (`ReadBody.sent`). Undefined without a body, or if the body was not read. */
    sentBody: unknown;
  }
}

/** A hook for `onResponse`. Requests without a known key are not logged, because they belong to no project. */
export function logRejected(services: Pick<HttpServices, 'logRejected'>) {
  return (request: FastifyRequest, { statusCode: status }: FastifyReply, done: () => void): void => {
    const { caller, problem, method, headers } = request;
    const { operation } = request.routeOptions.config;
    if (caller !== null && problem !== null && operation !== undefined)
      services.logRejected({
        projectId: caller.projectId,
        keyId: caller.keyId,
        method,
        route: `/v1${operation.path}`,
        parameters: request.params as Record<string, string>,
        status,
        problem: problem.code,
        detail: problem.message,
        errors: problem.errors ?? null,
        body: request.sentBody,
        schema: operation.body ?? Nothing,
        address: clientAddress(request.ip),
        userAgent: headers['user-agent'] ?? null,
        requestId: request.id,
      });
    done();
  };
}
