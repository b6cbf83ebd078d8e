/** An operation of the API: its documentation, the checks before it runs, and what it does. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { Type } from 'typebox';
import type { ApiDoor, ApiTag, BodyOf, Declaration, QueryOf, Resource } from '../../contract/operation.ts';
import type { IdPrefix } from '../../model/ids.ts';
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

/** What the `{id}` of a route of the API names; null where it has none. */
export function resourceOf(route: ApiDoor['route']): Resource | null {
  if (!route.includes('{id}')) return null;
  const { name, prefix } = RESOURCES[route.split('/')[1] as ApiTag];
  return prefix === null ? null : { name, prefix };
}

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

interface Definition extends Omit<Declaration, 'doors' | 'raw'>, Pick<ApiDoor, 'scope' | 'headers'> {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/v1`, such as `/emails/{id}`. */
  path: `/${ApiTag}${string}`;
  run(call: Call): Promise<unknown>;
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
  const told = ({ caller: { projectId }, id, address, body, query }: Call) => ({
    projectId,
    id,
    address,
    body,
    query,
  });
  const inRoom = { partsOf: ({ services }: Call) => services.parts, told };
  return ofRooms({ rooms, kind: 'api', raw, ...inRoom }, ({ declaration, door, run }) => ({
    ...saidAt(declaration, door),
    ...routeOf(door),
    scope: door.scope,
    ...definedOf({ headers: door.headers }),
    run,
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
