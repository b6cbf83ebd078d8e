/** An operation of the dashboard: its documentation, its required role and its implementation (docs/roles.md). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Principal } from '../../../accounts/principal.ts';
import type { BodyOf, DashboardDoor, Declaration, QueryOf } from '../../../contract/operation.ts';
import type { RequestScope } from '../../../accounts/signed-in.ts';
import type { BrowserOperation } from '../browser/add-operation.ts';
import { originOf } from '../browser/origin-of.ts';
import {
  definedOf,
  doorOperations,
  type RawOperation,
  type OperationModule,
  routeOf,
  documentationAt,
} from '../declared-operations.ts';
import type { ModuleParts } from '../operation-modules.ts';
import type { DashboardServices } from './services.ts';

/** A validated request. */
export interface DashboardCall<Body = unknown, Query = unknown> {
  services: DashboardServices;
  /** The signed-in user. Throws in operations open to anyone. */
  principal: Principal;
  /** The token in the cookie; empty without a session. */
  sessionToken: string;
  /** Whether the browser uses https. */
  isSecure: boolean;
  /** The uuid of `{project}`; the nil uuid if the path has none. */
  projectId: string;
  /** The uuid of `{id}`; the nil uuid if it is malformed or the path has none. */
  id: string;
  /** The uuid of `{part}`, decoded like `id`. */
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
  /** The path below `/dashboard/api`: `/projects/{project}/api-keys/{id}`, `/organizations/{organization}/users`, `/session`. */
  path: `/${string}`;
  run(call: DashboardCall): Promise<unknown>;
}

export interface DashboardOperation extends Definition {
  /** The name of the constant that defines the operation. */
  operationId: string;
  /** The first segment of the path that is neither an id nor `projects` or `organizations`. */
  tag: string;
}

/** Implements an operation in this door. Its body and query are typed by their schemas. */
export function dashboardRun<Declared extends Declaration & { raw: true; doors: { dashboard: object } }>(
  declaration: Declared,
  run: (call: DashboardCall<BodyOf<Declared>, QueryOf<Declared>>) => Promise<unknown>,
): RawOperation<DashboardCall> {
  return { declaration, run };
}

/** The parts of a request that a module's operation receives. */
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
    lookUp: (scope: RequestScope) => services.signedIn.lookUp(sessionToken, scope),
    get organizationId() {
      return call.principal.organizationId;
    },
    get principal() {
      return call.principal;
    },
  };
}

/**
 * The operations that modules declare for the dashboard, by name.
 * @param raw the operations that this door implements itself
 */
export function dashboardOperations(
  modules: readonly OperationModule<ModuleParts>[],
  raw: readonly RawOperation<DashboardCall>[],
): Record<string, Definition> {
  return doorOperations(
    { modules, kind: 'dashboard', raw, partsOf: ({ services }) => services.parts, inputOf: callOf },
    ({ declaration, door, run }) => {
      const { role, serves, confirms, elevated, resource, part } = door;
      return {
        ...documentationAt(declaration, door),
        ...routeOf(door),
        role,
        ...definedOf({ serves, confirms, elevated, resource, part }),
        run,
      };
    },
  );
}

/** Completes definitions with their operation ids and tags. @param definitions by operation name */
export function namedDashboardOperations(
  definitions: Readonly<Record<string, Definition>>,
): DashboardOperation[] {
  return Object.entries(definitions).map(([operationId, definition]) => {
    const [, first = '', id = '', next] = definition.path.split('/');
    const tag = id.startsWith('{') && (first === 'projects' || first === 'organizations') ? next : first;
    return { ...definition, operationId, tag: tag ?? first };
  });
}
