/** An operation of the web client: its documentation, and what it does. Whatever is about a mailbox is for who is signed in to exactly that one. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Static, TSchema } from 'typebox';
import type { WebSession } from '../../../accounts/calls.ts';
import type { MailboxKey } from '../../../store/lock-mailboxes.ts';
import type { BodyOf, Declaration, QueryOf } from '../../../contract/operation.ts';
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
  request: FastifyRequest;
  reply: FastifyReply;
  logger: Logger;
}

interface Definition<Body extends TSchema = TSchema, Query extends TSchema = TSchema>
  extends BrowserOperation<Body, Query> {
  /** Below `/mail/api`. Nobody is asked who they are below `/session` and `/sign-in` alone. */
  path: `/mailboxes/{mailbox}${string}` | `/session${string}` | `/sign-in${string}`;
  /** Asks again who sits there when that was not sure for ten minutes: before passwords and whatever lets others in or mail out. */
  confirms?: true;
  /**
   * Who may is proved by a signature in the address, and `run` looks at it: images of a frame without an origin come without cookies. Only
   * with GET.
   */
  signed?: true;
  /** What `{part}` names, behind the `{id}` that it is a part of: a text that the operation reads. */
  part?: string;
  /** Of the body. By default 256 KiB. */
  maxBodyBytes?: number;
  /**
   * Resolves with the body of the answer. An operation on a resource resolves with null or false when there is no such resource.
   * Nothing is sent where success has no body.
   */
  run(call: MailCall<Static<Body>, Static<Query>>): Promise<unknown>;
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
  return ofRooms(rooms, 'mail', raw, ({ declaration, door, run }) => {
    const { confirms, signed, resource, part, maxBodyBytes } = door;
    return {
      ...saidAt(declaration, door),
      ...routeOf(door),
      ...definedOf({ confirms, signed, resource, part, maxBodyBytes }),
      run: (call) => run(partsOf(call.services), call, call),
    };
  });
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
