/** An operation of the web client: its documentation, and what it does. Whatever is about a mailbox is for who is signed in to exactly that one. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { WebSession } from '../../../accounts/calls.ts';
import type { MailboxKey } from '../../../store/lock-mailboxes.ts';
import type { BodyOf, Declaration, WebClientDoor, QueryOf } from '../../../contract/operation.ts';
import type { BrowserOperation } from '../browser/add-operation.ts';
import { definedOf, ofRooms, type RawOperation, type Room, routeOf, saidAt } from '../declared-operations.ts';
import type { MailClientServices } from './services.ts';

/** One request, checked. */
export interface MailCall<Body = unknown, Query = unknown> {
  services: MailClientServices;
  /** Of `{mailbox}`: nothing else is read or changed. Where the path has none, do not look at it. */
  mailbox: MailboxKey;
  /** Of `{mailbox}`, as a uuid: of signed operations, which have no session. The nil uuid when it is malformed, or when the path has none. */
  mailboxId: string;
  /** The session of that mailbox. Where the path has none, do not look at it. */
  session: WebSession;
  /** Whether the browser came by https. */
  isSecure: boolean;
  /** Of `{id}`, as a uuid; the nil uuid when it is malformed, or when the path has none. */
  id: string;
  /** Of `{part}`, as it stands in the path; empty where there is none. */
  part: string;
  body: Body;
  query: Query;
  /** The origin of the page that the request comes from. */
  origin: string;
  /** Aborts when the client goes away. */
  gone: AbortSignal;
  request: FastifyRequest;
  reply: FastifyReply;
  logger: Logger;
}

interface Definition
  extends BrowserOperation,
    Pick<WebClientDoor, 'confirms' | 'signed' | 'part' | 'maxBodyBytes'> {
  /** Below `/mail/api`. */
  path: `/mailboxes/{mailbox}${string}` | `/session${string}` | `/sign-in${string}`;
  run(call: MailCall): Promise<unknown>;
}

export interface MailOperation extends Definition {
  /** The name of the constant that defines it. */
  operationId: string;
  /** What it is about: the part of the path behind the mailbox, else the first. */
  tag: string;
}

/** Whether it is about a mailbox, and so for who is signed in to it. */
export function isOfMailbox({ path }: Pick<MailOperation, 'path'>): boolean {
  return path.startsWith('/mailboxes/{mailbox}');
}

/** Implements an operation in this door. Its body and query have the types of their schemas. */
export function mailRun<Declared extends Declaration & { raw: true; doors: { mail: object } }>(
  declaration: Declared,
  run: (call: MailCall<BodyOf<Declared>, QueryOf<Declared>>) => Promise<unknown>,
): RawOperation<MailCall> {
  return { declaration, run };
}

/**
 * The operations of rooms that the web client has, by their names.
 * @param partsOf what they are run with
 * @param raw those that this door implements
 */
export function mailOperations<Parts>(
  rooms: readonly Room<Parts>[],
  partsOf: (services: MailClientServices) => Parts,
  raw: readonly RawOperation<MailCall>[],
): Record<string, Definition> {
  return ofRooms(
    { rooms, kind: 'mail', raw, partsOf: ({ services }) => partsOf(services), told: (call) => call },
    ({ declaration, door, run }) => {
      const { confirms, signed, resource, part, maxBodyBytes } = door;
      return {
        ...saidAt(declaration, door),
        ...routeOf(door),
        ...definedOf({ confirms, signed, resource, part, maxBodyBytes }),
        run,
      };
    },
  );
}

/** @param definitions by their names */
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
