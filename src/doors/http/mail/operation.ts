/**
 * An operation of the web client: its documentation and its implementation. Operations on a mailbox are only for users who are signed in to
 * exactly that mailbox.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { WebSession } from '../../../accounts/calls.ts';
import type { MailboxKey } from '../../../store/lock-mailboxes.ts';
import type { BodyOf, Declaration, WebClientDoor, QueryOf } from '../../../contract/operation.ts';
import type { BrowserOperation } from '../browser/add-operation.ts';
import {
  definedOf,
  doorOperations,
  type RawOperation,
  type OperationModule,
  routeOf,
  documentationAt,
} from '../declared-operations.ts';
import type { MailClientServices } from './services.ts';

/** A validated request. */
export interface MailCall<Body = unknown, Query = unknown> {
  services: MailClientServices;
  /** The mailbox of `{mailbox}`. No other mailbox is read or changed. Throws if the path has none. */
  mailbox: MailboxKey;
  /** The uuid of `{mailbox}`, for signed operations, which have no session. The nil uuid if it is malformed or the path has none. */
  mailboxId: string;
  /** The session of that mailbox. Throws if the path has none. */
  session: WebSession;
  /** Whether the browser uses https. */
  isSecure: boolean;
  /** The uuid of `{id}`; the nil uuid if it is malformed or the path has none. */
  id: string;
  /** The raw `{part}` of the path; empty if there is none. */
  part: string;
  body: Body;
  query: Query;
  /** The origin of the requesting page. */
  origin: string;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
  request: FastifyRequest;
  reply: FastifyReply;
  logger: Logger;
}

interface Definition
  extends BrowserOperation,
    Pick<WebClientDoor, 'confirms' | 'signed' | 'part' | 'maxBodyBytes'> {
  /** The path below `/mail/api`. */
  path: `/mailboxes/{mailbox}${string}` | `/session${string}` | `/sign-in${string}`;
  run(call: MailCall): Promise<unknown>;
}

export interface MailOperation extends Definition {
  /** The name of the constant that defines the operation. */
  operationId: string;
  /** The subject: the segment of the path after the mailbox, or else the first segment. */
  tag: string;
}

/** Whether the operation is about a mailbox, and so only for users signed in to it. */
export function isOfMailbox({ path }: Pick<MailOperation, 'path'>): boolean {
  return path.startsWith('/mailboxes/{mailbox}');
}

/** Implements an operation in this door. Its body and query are typed by their schemas. */
export function mailRun<Declared extends Declaration & { raw: true; doors: { mail: object } }>(
  declaration: Declared,
  run: (call: MailCall<BodyOf<Declared>, QueryOf<Declared>>) => Promise<unknown>,
): RawOperation<MailCall> {
  return { declaration, run };
}

/**
 * The operations that modules declare for the web client, by name.
 * @param partsOf returns the dependencies of the operations
 * @param raw the operations that this door implements itself
 */
export function mailOperations<Parts>(
  modules: readonly OperationModule<Parts>[],
  partsOf: (services: MailClientServices) => Parts,
  raw: readonly RawOperation<MailCall>[],
): Record<string, Definition> {
  return doorOperations(
    {
      modules,
      kind: 'mail',
      raw,
      partsOf: ({ services }) => partsOf(services),
      inputOf: (call) => call,
    },
    ({ declaration, door, run }) => {
      const { confirms, signed, resource, part, maxBodyBytes } = door;
      return {
        ...documentationAt(declaration, door),
        ...routeOf(door),
        ...definedOf({ confirms, signed, resource, part, maxBodyBytes }),
        run,
      };
    },
  );
}

/** @param definitions by operation name */
export function namedMailOperations(definitions: Readonly<Record<string, Definition>>): MailOperation[] {
  return Object.entries(definitions).map(([operationId, definition]) => {
    const parts = definition.path.split('/');
    return {
      ...definition,
      operationId,
      tag: (isOfMailbox(definition) ? parts[3] : parts[1]) ?? 'mailboxes',
    };
  });
}
