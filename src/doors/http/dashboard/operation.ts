/** An operation of the dashboard, with its documentation, its required role (docs/roles.md) and its implementation. */
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
  /** The signed-in user. Throws a TypeError when read in operations that are open to anyone. */
  principal: Principal;
  /** The session token in the cookie. Empty if there is no session. */
  sessionToken: string;
  /** Whether the browser uses https. */
  isSecure: boolean;
  /** The uuid of `{project}` in the path. The nil uuid if the path has no `{project}`. */
  projectId: string;
  /** The uuid of `{id}` in the path. The nil uuid if the id is malformed or the path has no `{id}`. */
  id: string;
  /** The uuid of `{part}` in the path. The nil uuid if the id is malformed or the path has no `{part}`. */
  partId: string;
  body: Body;
  query: Query;
  request: FastifyRequest;
  reply: FastifyReply;
  logger: Logger;
}

interface Definition
  extends BrowserOperation,
    Pick<DashboardDoor, 'role' | 'availability' | 'needsConfirmation' | 'elevated' | 'part'> {
  /** The path below `/dashboard/api`, such as `/projects/{project}/api-keys/{id}`, `/organizations/{organization}/users` or `/session`. */
  path: `/${string}`;
  run(call: DashboardCall): Promise<unknown>;
}

export interface DashboardOperation extends Definition {
  /** The name of the constant that defines the operation. */
  operationId: string;
  /** The first segment of the path that is neither an id nor `projects` or `organizations`. */
  tag: string;
}

/** Implements an operation in the dashboard. The schemas of the declaration type the body and the query. */
export function dashboardRun<Declared extends Declaration & { raw: true; doors: { dashboard: object } }>(
  declaration: Declared,
  run: (call: DashboardCall<BodyOf<Declared>, QueryOf<Declared>>) => Promise<unknown>,
): RawOperation<DashboardCall> {
  return { declaration, run };
}

/** The parts of a call that the operation of a module receives. */
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
 * The operations that modules declare for the dashboard, by operation id.
 * @param raw the operations that the dashboard implements itself
 */
export function dashboardOperations(
  modules: readonly OperationModule<ModuleParts>[],
  raw: readonly RawOperation<DashboardCall>[],
): Record<string, Definition> {
  return doorOperations(
    { modules, kind: 'dashboard', raw, partsOf: ({ services }) => services.parts, inputOf: callOf },
    ({ declaration, door, run }) => {
      const { role, availability, needsConfirmation, elevated, resource, part } = door;
      return {
        ...documentationAt(declaration, door),
        ...routeOf(door),
        role,
        ...definedOf({ availability, needsConfirmation, elevated, resource, part }),
        run,
      };
    },
  );
}

/** Adds operation ids and tags to definitions. @param definitions operations by operation id */
export function namedDashboardOperations(
  definitions: Readonly<Record<string, Definition>>,
): DashboardOperation[] {
  return Object.entries(definitions).map(([operationId, definition]) => {
    const [, first = '', id = '', next] = definition.path.split('/');
    const tag = id.startsWith('{') && (first === 'projects' || first === 'organizations') ? next : first;
    return { ...definition, operationId, tag: tag ?? first };
  });
}
