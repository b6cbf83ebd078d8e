import type { FastifyInstance } from 'fastify';
import type { ChallengeResponses } from '../../certificates/certificates.ts';
import { AppError } from '../../model/app-error.ts';

/** Serves the responses to http-01 challenges of a certificate authority (RFC 8555, section 8.3). */
export function addChallenges(
  app: FastifyInstance,
  challengeResponses: Pick<ChallengeResponses, 'http'>,
): void {
  app.get<{ Params: { token: string } }>('/.well-known/acme-challenge/:token', async (request, reply) => {
    const response = challengeResponses.http(request.params.token);
    if (response === null) throw new AppError('not-found', 'There is no challenge for this token.');
    return reply.type('application/octet-stream').send(response);
  });
}
