/** An operation of the API: its documentation, the checks before it runs, and what it does. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Static, TSchema } from 'typebox';
import type { ErrorCode } from '../../model/app-error.ts';
import type { IdPrefix } from '../../model/ids.ts';
import type { Scope } from '../../model/scopes.ts';
import type { Caller, HttpServices } from './services.ts';

/** The resources that an `{id}` can name, and how their ids begin. */
export const RESOURCES = {
  email: 'em',
  domain: 'dom',
  mailbox: 'mbx',
  webhook: 'wh',
  template: 'tpl',
  person: 'per',
} as const satisfies Record<string, IdPrefix>;

/** One request, checked. */
interface Call<Body = unknown, Query = unknown> {
  services: HttpServices;
  caller: Caller;
  /** The `{id}` of the path as a uuid; the nil uuid when it is malformed, or when the path has none. */
  id: string;
  body: Body;
  query: Query;
  request: FastifyRequest;
  reply: FastifyReply;
  logger: Logger;
}

export interface Operation<Body extends TSchema = TSchema, Query extends TSchema = TSchema> {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/v1`, such as `/emails/{id}`. */
  path: string;
  /** The resource that `{id}` names. */
  resource?: keyof typeof RESOURCES;
  scope: Scope;
  operationId: string;
  summary: string;
  description?: string;
  tag: string;
  /** Absent: the request may have no body, or `{}`. */
  body?: Body;
  /** Absent: the request may have no parameters. */
  query?: Query;
  /** Request headers, for the document; the operation checks them itself. */
  headers?: Readonly<Record<string, TSchema>>;
  success: {
    status: 200 | 201 | 202 | 204;
    description: string;
    /** Absent with 204. */
    body?: TSchema;
    headers?: Readonly<Record<string, TSchema>>;
  };
  /** Errors beside those of every operation and the `not-found` of a resource. */
  errors?: readonly ErrorCode[];
  /**
   * Resolves with the body of the answer: an object, or JSON as text. An operation on a resource resolves with null or
   * false when the project has no such resource. Nothing is sent where success has no body.
   */
  run(call: Call<Static<Body>, Static<Query>>): Promise<unknown>;
}

/** Types the body and query of `run` by their schemas. */
export function operation<Body extends TSchema, Query extends TSchema>(
  definition: Operation<Body, Query>,
): Operation {
  return definition;
}
