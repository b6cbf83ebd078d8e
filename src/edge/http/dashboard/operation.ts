/** An operation of the dashboard: its documentation, who may, and what it does (docs/roles.md). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Static, TSchema } from 'typebox';
import type { Principal } from '../../../accounts/principal.ts';
import type {
  Access,
  BodyOf,
  Declaration,
  Elevated,
  QueryOf,
  Resource,
} from '../../../contract/operation.ts';
import type { BrowserOperation } from '../browser/add-operation.ts';
import { definedOf, ofRooms, type RawOperation, type Room, routeOf, saidAt } from '../declared-operations.ts';
import type { RoomParts } from '../rooms.ts';
import type { DashboardServices } from './services.ts';

/** One request, checked. */
export interface DashboardCall<Body = unknown, Query = unknown> {
  services: DashboardServices;
  /** Who asks. Where anyone may, nobody: do not look at it. */
  principal: Principal;
  /** As in the cookie; empty where nobody is signed in. */
  sessionToken: string;
  /** Whether the browser came by https. */
  isSecure: boolean;
  /** Of `{project}`, as a uuid; the nil uuid when the path has none. */
  projectId: string;
  /** Of `{id}`, as a uuid; the nil uuid when it is malformed, or when the path has none. */
  id: string;
  /** Of `{part}`, as `id`. */
  partId: string;
  body: Body;
  query: Query;
  request: FastifyRequest;
  reply: FastifyReply;
  logger: Logger;
}

interface Definition<Body extends TSchema = TSchema, Query extends TSchema = TSchema>
  extends BrowserOperation<Body, Query> {
  /**
   * Below `/dashboard/api`: `/projects/{project}/api-keys/{id}`, `/organizations/{organization}/users`, `/session`.
   * A project or an organisation in which the user is nobody is unknown.
   */
  path: `/${string}`;
  role: Access;
  /**
   * Of an operation for whoever is signed in: what it is for where an organisation requires more than the session has proved. `session`:
   * always open, to tell who is signed in, confirm it and sign out. `second-factor`: open until there is one. Absent: closed until then.
   */
  serves?: 'session' | 'second-factor';
  /** Asks again who sits there when that was not sure for ten minutes: before keys, secrets and people. */
  confirms?: true;
  /** Absent: every body that the schema accepts takes `role` and `confirms` alone. */
  elevated?: Elevated;
  /** What `{part}` names, behind the `{id}` that it is a part of. */
  part?: Resource;
  /**
   * Resolves with the body of the answer. An operation on a resource resolves with null or false when there is no such resource.
   * Nothing is sent where success has no body.
   */
  run(call: DashboardCall<Static<Body>, Static<Query>>): Promise<unknown>;
}

export interface DashboardOperation extends Definition {
  /** The name of the constant that defines it. */
  operationId: string;
  /** The first part of the path that is no id and not `projects` or `organizations`. */
  tag: string;
}

/** Implements an operation in this door. Its body and query have the types of their schemas. */
export function dashboardRun<Declared extends Declaration & { raw: true; doors: { dashboard: object } }>(
  declaration: Declared,
  run: (call: DashboardCall<BodyOf<Declared>, QueryOf<Declared>>) => Promise<unknown>,
): RawOperation<DashboardCall> {
  return { declaration, run };
}

/** What a room is told of a request. */
function callOf(call: DashboardCall): object {
  const { projectId, id, partId, body, query } = call;
  return {
    projectId,
    id,
    partId,
    mailbox: { projectId, mailboxId: id },
    body,
    query,
    get principal() {
      return call.principal;
    },
  };
}

/**
 * The operations of rooms that the dashboard has, by their names.
 * @param raw those that this door implements
 */
export function dashboardOperations(
  rooms: readonly Room<RoomParts>[],
  raw: readonly RawOperation<DashboardCall>[],
): Record<string, Definition> {
  return ofRooms(rooms, 'dashboard', raw, ({ declaration, door, run }) => {
    const { role, serves, confirms, elevated, resource, part } = door;
    return {
      ...saidAt(declaration, door),
      ...routeOf(door),
      role,
      ...definedOf({ serves, confirms, elevated, resource, part }),
      run: (call) => run(call.services.parts, call, callOf(call)),
    };
  });
}

/** @param definitions by their names */
export function namedDashboardOperations(
  definitions: Readonly<Record<string, Definition>>,
): DashboardOperation[] {
  return Object.entries(definitions).map(([operationId, definition]) => {
    const [, first = '', id = '', next] = definition.path.split('/');
    const tag = id.startsWith('{') && (first === 'projects' || first === 'organizations') ? next : first;
    return { ...definition, operationId, tag: tag ?? first };
  });
}
