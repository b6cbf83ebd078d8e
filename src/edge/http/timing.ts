/** Measures requests, for metrics. */
import type { FastifyInstance } from 'fastify';
import { httpRequests } from '../../observe/instruments.ts';

/** All but the operations of the document: pages, health, and paths that do not exist. */
const OTHER = 'other';

export function timeRequests(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    httpRequests.observe(
      {
        operation: request.routeOptions.config.operation?.operationId ?? OTHER,
        status: `${Math.trunc(reply.statusCode / 100)}xx`,
      },
      reply.elapsedTime / 1_000,
    );
    done();
  });
}
