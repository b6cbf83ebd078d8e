/**
 * An operation of the web client, with its documentation and its implementation. An operation on a mailbox requires a session of that
 * mailbox, or of a member of the mailbox if the operation is open to members.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { WebSession } from '../../../accounts/calls.ts';
import type { MailboxAccess } from '../../../model/mailbox-rights.ts';
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
  /**
   * The mailbox that `{mailbox}` in the path names, to which the session has access. Throws when read if the operation is not on a mailbox.
   */
  mailbox: MailboxKey;
  /** The uuid of `{mailbox}` in the path, for signed operations, which have no session. The nil uuid if the id is malformed or missing. */
  mailboxId: string;
  /**
   * The session of the mailbox, or of a member of the mailbox. Reading it throws an error if the path of the operation has no mailbox.
   */
  session: WebSession;
  /** The access of the grant that the session uses. Null: the session is that of the mailbox itself. */
  memberAccess: MailboxAccess | null;
  /** Whether the browser uses https. */
  isSecure: boolean;
  /** The uuid of `{id}` in the path. The nil uuid if the id is malformed or the path has no `{id}`. */
  id: string;
  /** The raw `{part}` of the path. Empty if the path has no `{part}`. */
  part: string;
  body: Body;
  query: Query;
  /** The origin of the page that sent the request. */
  origin: string;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
  request: FastifyRequest;
  reply: FastifyReply;
  logger: Logger;
}

interface Definition
  extends BrowserOperation,
    Pick<WebClientDoor, 'needsConfirmation' | 'member' | 'signed' | 'part' | 'maxBodyBytes'> {
  /** The path below `/mail/api`. */
  path: `/mailboxes/{mailbox}${string}` | `/session${string}` | `/sign-in${string}`;
  run(call: MailCall): Promise<unknown>;
}

export interface MailOperation extends Definition {
  /** The name of the constant that defines the operation. */
  operationId: string;
  /** The segment of the path after `{mailbox}`, or the first segment if the path has no `{mailbox}`. */
  tag: string;
}

/** Whether the operation is on a mailbox, and therefore requires a session of the mailbox unless the operation's URL is signed. */
export function isOfMailbox({ path }: Pick<MailOperation, 'path'>): boolean {
  return path.startsWith('/mailboxes/{mailbox}');
}

/** Implements an operation in the web client. The schemas of the declaration type the body and the query. */
export function mailRun<Declared extends Declaration & { raw: true; doors: { mail: object } }>(
  declaration: Declared,
  run: (call: MailCall<BodyOf<Declared>, QueryOf<Declared>>) => Promise<unknown>,
): RawOperation<MailCall> {
  return { declaration, run };
}

/**
 * The operations that modules declare for the web client, by operation id.
 * @param partsOf returns the dependencies of the operations
 * @param raw the operations that the web client implements itself
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
      const { needsConfirmation, member, signed, resource, part, maxBodyBytes } = door;
      return {
        ...documentationAt(declaration, door),
        ...routeOf(door),
        ...definedOf({ needsConfirmation, member, signed, resource, part, maxBodyBytes }),
        run,
      };
    },
  );
}

/** @param definitions operations by operation id */
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
