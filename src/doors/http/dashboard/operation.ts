/** An operation of the dashboard: its documentation, who may, and what it does (docs/roles.md). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Principal } from '../../../accounts/principal.ts';
import type { BodyOf, DashboardDoor, Declaration, QueryOf } from '../../../contract/operation.ts';
import type { RequestScope } from '../../../accounts/signed-in.ts';
import type { BrowserOperation } from '../browser/add-operation.ts';
import { originOf } from '../browser/origin-of.ts';
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

interface Definition
  extends BrowserOperation,
    Pick<DashboardDoor, 'role' | 'serves' | 'confirms' | 'elevated' | 'part'> {
  /** Below `/dashboard/api`: `/projects/{project}/api-keys/{id}`, `/organizations/{organization}/users`, `/session`. */
  path: `/${string}`;
  run(call: DashboardCall): Promise<unknown>;
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
  const { projectId, id, partId, body, query, request, services, sessionToken } = call;
  return {
    projectId,
    id,
    partId,
    mailbox: { projectId, mailboxId: id },
    body,
    query,
    origin: originOf(request),
    look: (place: RequestScope) => services.signedIn.look(sessionToken, place),
    get organizationId() {
      return call.principal.organizationId;
    },
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
  return ofRooms(
    { rooms, kind: 'dashboard', raw, partsOf: ({ services }) => services.parts, told: callOf },
    ({ declaration, door, run }) => {
      const { role, serves, confirms, elevated, resource, part } = door;
      return {
        ...saidAt(declaration, door),
        ...routeOf(door),
        role,
        ...definedOf({ serves, confirms, elevated, resource, part }),
        run,
      };
    },
  );
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
