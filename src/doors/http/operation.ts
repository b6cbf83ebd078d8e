/** An operation of the API, with its documentation, its checks and its implementation. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { Type } from 'typebox';
import type { ApiDoor, ApiTag, BodyOf, Declaration, QueryOf, Resource } from '../../contract/operation.ts';
import type { IdPrefix } from '../../model/ids.ts';
import type { ReadBody } from './bodies/read-body.ts';
import {
  definedOf,
  doorOperations,
  type RawOperation,
  type OperationModule,
  routeOf,
  documentationAt,
} from './declared-operations.ts';
import type { ModuleParts } from './operation-modules.ts';
import type { Caller, HttpServices } from './services.ts';

/**
 * Resources by the first segment of the path, which is also the tag in the OpenAPI document. `prefix` is the prefix of the resource's ids.
 * A null prefix means that the resource has no ids, and that `{address}` in the path identifies it.
 */
export const RESOURCES = {
  emails: { name: 'email', prefix: 'em' },
  domains: { name: 'domain', prefix: 'dom' },
  mailboxes: { name: 'mailbox', prefix: 'mbx' },
  aliases: { name: 'alias', prefix: 'als' },
  webhooks: { name: 'webhook', prefix: 'wh' },
  routes: { name: 'route', prefix: 'rt' },
  templates: { name: 'template', prefix: 'tpl' },
  directory: { name: 'person', prefix: 'per' },
  suppressions: { name: 'suppression', prefix: null },
} as const satisfies Record<ApiTag, { name: string; prefix: IdPrefix | null }>;

/** The resource that `{id}` in an API route identifies. Null if the route has no `{id}`. */
export function resourceOf(route: ApiDoor['route']): Resource | null {
  if (!route.includes('{id}')) return null;
  const { name, prefix } = RESOURCES[route.split('/')[1] as ApiTag];
  return prefix === null ? null : { name, prefix };
}

/** The schema of a body or query that must be empty. */
export const Nothing = Type.Object({}, { additionalProperties: false });

/** A validated request. */
interface Call<Body = unknown, Query = unknown> {
  services: HttpServices;
  caller: Caller;
  /** The uuid of `{id}` in the path. The nil uuid if the id is malformed or the path has no `{id}`. */
  id: string;
  /** The uuid of `{part}` in the path. The nil uuid if the id is malformed or the path has no `{part}`. */
  partId: string;
  /** The raw `{address}` of the path. Empty if the path has no `{address}`. */
  address: string;
  body: Body;
  /** The results of examining a large email or batch in the worker thread. Null if the body was not examined. */
  examined: ReadBody['examined'];
  query: Query;
  request: FastifyRequest;
  reply: FastifyReply;
  logger: Logger;
}

interface Definition extends Omit<Declaration, 'doors' | 'raw'>, Pick<ApiDoor, 'scope' | 'headers' | 'part'> {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The path below `/v1`, such as `/emails/{id}`. */
  path: `/${ApiTag}${string}`;
  run(call: Call): Promise<unknown>;
}

export interface Operation extends Definition {
  /** The name of the constant that defines the operation. */
  operationId: string;
  tag: ApiTag;
  /** The resource that `{id}` or `{address}` in the path identifies. Null if the path has neither. */
  resource: (typeof RESOURCES)[ApiTag] | null;
}

/** Implements an operation in the API. The schemas of the declaration type the body and the query. */
export function apiRun<Declared extends Declaration & { raw: true; doors: { api: object } }>(
  declaration: Declared,
  run: (call: Call<BodyOf<Declared>, QueryOf<Declared>>) => Promise<unknown>,
): RawOperation<Call> {
  return { declaration, run };
}

/**
 * The operations that modules declare for the API, by operation id.
 * @param raw the operations that the API implements itself
 */
export function apiOperations(
  modules: readonly OperationModule<ModuleParts>[],
  raw: readonly RawOperation<Call>[],
): Record<string, Definition> {
  const inputOf = ({ caller: { projectId }, id, partId, address, body, query }: Call) => ({
    projectId,
    id,
    partId,
    address,
    body,
    query,
  });
  const inModule = { partsOf: ({ services }: Call) => services.parts, inputOf };
  return doorOperations({ modules, kind: 'api', raw, ...inModule }, ({ declaration, door, run }) => ({
    ...documentationAt(declaration, door),
    ...routeOf(door),
    scope: door.scope,
    ...definedOf({ headers: door.headers, part: door.part }),
    run,
  }));
}

/** @param definitions operations by operation id */
export function namedOperations(definitions: Readonly<Record<string, Definition>>): Operation[] {
  return Object.entries(definitions).map(([operationId, definition]) => {
    const { path } = definition;
    const tag = path.split('/')[1] as ApiTag;
    return { ...definition, operationId, tag, resource: path.includes('{') ? RESOURCES[tag] : null };
  });
}
