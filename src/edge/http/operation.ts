/** An operation of the API: its documentation, the checks before it runs, and what it does. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { type Static, type TSchema, Type } from 'typebox';
import type { ApiTag, BodyOf, Declaration, QueryOf } from '../../contract/operation.ts';
import type { ErrorCode } from '../../model/app-error.ts';
import type { IdPrefix } from '../../model/ids.ts';
import type { Scope } from '../../model/scopes.ts';
import type { ReadBody } from './bodies/read-body.ts';
import { definedOf, ofRooms, type RawOperation, type Room, routeOf, saidAt } from './declared-operations.ts';
import type { RoomParts } from './rooms.ts';
import type { Caller, HttpServices } from './services.ts';

/**
 * By the first part of a path, which is also the tag in the document: what an `{id}` behind it names, and how that begins. Null: its
 * resources have no ids, and `{address}` names one.
 */
const RESOURCES = {
  emails: { name: 'email', prefix: 'em' },
  domains: { name: 'domain', prefix: 'dom' },
  mailboxes: { name: 'mailbox', prefix: 'mbx' },
  aliases: { name: 'alias', prefix: 'als' },
  webhooks: { name: 'webhook', prefix: 'wh' },
  templates: { name: 'template', prefix: 'tpl' },
  directory: { name: 'person', prefix: 'per' },
  suppressions: { name: 'suppression', prefix: null },
} as const satisfies Record<ApiTag, { name: string; prefix: IdPrefix | null }>;

/** The schema of a body or a query that may only be empty. */
export const Nothing = Type.Object({}, { additionalProperties: false });

/** One request, checked. */
interface Call<Body = unknown, Query = unknown> {
  services: HttpServices;
  caller: Caller;
  /** The `{id}` of the path as a uuid; the nil uuid when it is malformed, or when the path has none. */
  id: string;
  /** The `{address}` of the path as it came; empty when the path has none. */
  address: string;
  body: Body;
  /** Of a large email, or of a large batch, what was found out on the way. */
  examined: ReadBody['examined'];
  query: Query;
  request: FastifyRequest;
  reply: FastifyReply;
  logger: Logger;
}

interface Definition<Body extends TSchema = TSchema, Query extends TSchema = TSchema> {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/v1`, such as `/emails/{id}`. */
  path: `/${ApiTag}${string}`;
  scope: Scope;
  /**
   * The operation of the dashboard that does the same. A role that may not call it cannot grant the scope either (`grantable.ts`). Of several
   * name the one that takes most.
   */
  twin: string;
  summary: string;
  description?: string;
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

export interface Operation extends Definition {
  /** The name of the constant that defines it. */
  operationId: string;
  tag: ApiTag;
  /** What its `{id}` or `{address}` names; null where the path has none. */
  resource: (typeof RESOURCES)[ApiTag] | null;
}

/** Implements an operation in this door. Its body and query have the types of their schemas. */
export function apiRun<Declared extends Declaration & { raw: true; doors: { api: object } }>(
  declaration: Declared,
  run: (call: Call<BodyOf<Declared>, QueryOf<Declared>>) => Promise<unknown>,
): RawOperation<Call> {
  return { declaration, run };
}

/**
 * The operations of rooms that the API has, by their names.
 * @param raw those that this door implements
 */
export function apiOperations(
  rooms: readonly Room<RoomParts>[],
  raw: readonly RawOperation<Call>[],
): Record<string, Definition> {
  return ofRooms(rooms, 'api', raw, ({ name, declaration, door, run }) => ({
    ...saidAt(declaration, door),
    ...routeOf(door),
    scope: door.scope,
    twin: door.twin ?? declaration.doors.dashboard?.id ?? name,
    ...definedOf({ headers: door.headers }),
    run: (call) => {
      const { services, caller, id, address, body, query } = call;
      return run(services.parts, call, { projectId: caller.projectId, id, address, body, query });
    },
  }));
}

/** @param definitions by their names */
export function namedOperations(definitions: Readonly<Record<string, Definition>>): Operation[] {
  return Object.entries(definitions).map(([operationId, definition]) => {
    const { path } = definition;
    const tag = path.split('/')[1] as ApiTag;
    return { ...definition, operationId, tag, resource: path.includes('{') ? RESOURCES[tag] : null };
  });
}
