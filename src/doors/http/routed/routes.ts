/**
 * Serves the files of routed messages (docs/routes.md, Attachments). A link that expires names the message, and the request proves with the
 * secret of the route or with an API key that it comes from the receiver. Attack: a link in a log, which alone must open nothing.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { AppError } from '../../../model/app-error.ts';
import { decodeId, NIL_UUID } from '../../../model/ids.ts';
import type { RouteMessageKey } from '../../../routes/formats/route-links.ts';
import type { RouteMessages } from '../../../routes/messages/route-messages.ts';
import { grants } from '../../../model/scopes.ts';
import { sendProblem } from '../errors.ts';
import { bearerToken, type RequestLimits, refuseCaller } from '../guard.ts';
import { sendHostile } from '../mail/messages/send-hostile.ts';
import { onResponseEnd, responseAbortSignal } from '../response-end.ts';
import type { HttpServices } from '../services.ts';

export interface RoutedFilesOptions {
  services: Pick<HttpServices, 'authenticate'> & { parts: { routeMessages: RouteMessages } };
  limits: RequestLimits | null;
  logger: Logger;
}

type Call = FastifyRequest<{ Params: { route: string; message: string; part?: string } }>;

const SECRET_PREFIX = 'whsec_';
const MAX_SECRET_LENGTH = 200;
const PATH = '/routed/:route/:message';
const MISSING = 'There is no such file. The link may have expired: fetch the message again to get new links.';

/** A Fastify plugin. */
export async function addRoutedFiles(app: FastifyInstance, options: RoutedFilesOptions): Promise<void> {
  const { services, limits, logger } = options;
  // The part is created at the first request.
  const routeMessages = () => services.parts.routeMessages;
  app.setErrorHandler((error, _request, reply) => sendProblem(reply, error, logger));

  /** The message of the link, for a caller that may read it. @throws AppError */
  async function authorized(request: Call, reply: FastifyReply): Promise<RouteMessageKey> {
    const token = bearerToken(request.headers.authorization);
    if (token === null) {
      const detail = 'Send the secret of the route or an API key as Authorization: Bearer <SECRET>.';
      throw refuseCaller(request, reply, limits, 'missing-api-key', detail);
    }
    const routeId = decodeId('rt', request.params.route) ?? NIL_UUID;
    const messageId = decodeId('rm', request.params.message) ?? NIL_UUID;
    const query = new URLSearchParams(request.query as string);
    const link = { expires: query.get('expires') ?? '', signature: query.get('signature') ?? '' };
    const projectId = routeMessages().projectOf({ routeId, messageId }, link);
    if (projectId === null) throw new AppError('not-found', MISSING);
    if (token.startsWith(SECRET_PREFIX)) {
      const isRight =
        token.length <= MAX_SECRET_LENGTH && (await routeMessages().isSecret({ projectId, routeId }, token));
      if (isRight) return { projectId, routeId, messageId };
    } else {
      const caller = await services.authenticate(token, request.ip ?? '');
      if (caller?.projectId === projectId && grants(caller.scopes, 'routes:read'))
        return { projectId, routeId, messageId };
    }
    const detail =
      'The secret is not that of the route, or the API key may not read routes. Use another one.';
    throw refuseCaller(request, reply, limits, 'invalid-api-key', detail);
  }

  async function send(
    request: Call,
    reply: FastifyReply,
    part: string | null,
    type: string,
  ): Promise<FastifyReply> {
    const key = await authorized(request, reply);
    const signal = responseAbortSignal(reply);
    return new Promise<FastifyReply>((resolve, reject) => {
      routeMessages()
        .download(key, part, signal, async ({ name, read }) => {
          sendHostile(reply, read(), { type, saveAs: name });
          resolve(reply);
          // The slot stays occupied until the client has the file.
          await new Promise<void>((ended) => onResponseEnd(reply, ended));
          return reply;
        })
        .then((found) => {
          if (found === null) reject(new AppError('not-found', MISSING));
        }, reject);
    });
  }

  app.get(`${PATH}/raw`, (request: Call, reply) => send(request, reply, null, 'message/rfc822'));
  app.get(`${PATH}/attachments/:part`, (request: Call, reply) =>
    send(request, reply, request.params.part ?? '', 'application/octet-stream'),
  );
}
