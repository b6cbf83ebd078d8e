/** The shared part of the dashboard's and the web client's APIs. Reads and validates requests, runs operations and sends the results. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, actingAs } from '../../../accounts/audit.ts';
import type { Declaration, Method, Resource } from '../../../contract/operation.ts';
import { AppError, validationError } from '../../../model/app-error.ts';
import { decodeId, NIL_UUID } from '../../../model/ids.ts';
import { compressingJson } from '../compress-json.ts';
import { normalizeContentType, parseJson } from '../json.ts';
import type { boundUnreadResponses } from '../unread-responses.ts';
import { Nothing } from '../operation.ts';
import { compileQuery } from '../query.ts';
import { compileCheck, type FieldErrors } from '../validation.ts';

export const JSON_MEDIA_TYPE = 'application/json; charset=utf-8';

/** An operation of the dashboard or the web client. */
export interface BrowserOperation extends Omit<Declaration, 'doors' | 'raw'> {
  method: Method;
  path: string;
  /** The resource that `{id}` in the path identifies. */
  resource?: Resource;
}

/** The validated input of a request. */
interface Sent {
  body: unknown;
  query: unknown;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** Whether the method of the operation changes nothing (RFC 9110, section 9.2.1). */
export function onlyReads({ method }: Pick<BrowserOperation, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

export interface AddedOperation {
  /** The prefix of all paths of the API, such as `/mail/api`. */
  prefix: string;
  guard(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** The `onSend` hook from `boundUnreadResponses`, for operations that change nothing. */
  boundUnreadResponse: ReturnType<typeof boundUnreadResponses>;
  /** The user to whom the audit log attributes a change. */
  actor(request: FastifyRequest): Actor;
  run(sent: Sent): Promise<unknown>;
  /** The name of the resource in the error if `run` finds no resource. Null if `run` always finds one. */
  missing: string | null;
}

export function addBrowserOperation(
  app: FastifyInstance,
  operation: BrowserOperation,
  { prefix, guard, boundUnreadResponse, actor, run, missing }: AddedOperation,
): void {
  const { method, path, success } = operation;
  const readBody = reader(operation);
  const parseQuery = lazily(() => compileQuery(operation.query ?? Nothing));

  async function handler(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const { value: body, errors: bodyErrors } = readBody(request.body as Buffer | undefined);
    const { values: query, errors: queryErrors } = parseQuery()(request.query as string);
    if (bodyErrors !== null || queryErrors !== null) throw validationError({ ...queryErrors, ...bodyErrors });
    reply.code(success.status);
    if (success.body !== undefined) reply.header('content-type', JSON_MEDIA_TYPE);
    const result = await actingAs(actor(request), () => run({ body, query, request, reply }));
    if (result === reply) return reply;
    if (missing !== null && (result === null || result === false))
      throw new AppError('not-found', `There is no such ${missing}.`);
    return success.body === undefined ? undefined : result;
  }

  app.route({
    method,
    url: prefix + path.replaceAll(/\{(\w+)\}/g, ':$1'),
    onRequest: [guard, normalizeContentType],
    onSend: [...compressingJson(operation), ...(method === 'GET' ? [boundUnreadResponse] : [])],
    handler,
  });
}

/** The uuid of an id. A malformed id becomes the nil uuid, which no resource has. */
export function decodedId(resource: Resource | undefined, id: string | undefined): string {
  return (resource === undefined || id === undefined ? null : decodeId(resource.prefix, id)) ?? NIL_UUID;
}

/** Creates a value on first use. Schemas are created this way, because a process that serves no pages need not compile them. */
function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/**
 * @throws AppError malformed-json; bad-request if there are too many values; validation-failed if a string has text that no field may
 * contain
 */
function reader({ body = Nothing, bodyKind }: BrowserOperation) {
  if (bodyKind === 'octets') return () => ({ value: undefined, errors: null });
  const check = lazily(() => compileCheck(body));
  return (bytes: Buffer | undefined): { value: unknown; errors: FieldErrors | null } => {
    const value = bytes === undefined ? {} : parseJson(bytes);
    return { value, errors: check()(value) };
  };
}
