/**
 * The types of the functions that implement operations, one function for each operation. The argument of a function has the values that
 * every entry point (`doors`) of its operation can provide.
 */
import type { BodyOf, Declaration, QueryOf } from '../contract/operation.ts';
import type { Principal } from './principal.ts';
import type { SessionMatch, RequestScope } from './signed-in.ts';

/** A validated request about a project, from an authorized caller. Ids are uuids; a malformed id becomes the nil uuid. */
interface ProjectCall<Body, Query> {
  projectId: string;
  /** The value of `{id}`. */
  id: string;
  /** The value of `{part}`. */
  partId: string;
  body: Body;
  query: Query;
}

/** A project request with an API key. */
interface KeyCall<Body, Query> extends ProjectCall<Body, Query> {
  /** The value of `{address}`, unchanged. */
  address: string;
}

/** A request about an organization or about one of its projects. */
interface OrganizationCall<Body, Query> extends ProjectCall<Body, Query> {
  organizationId: string;
}

/** A request from a user of the dashboard. */
interface UserCall<Body, Query> extends OrganizationCall<Body, Query> {
  principal: Principal;
  /** The origin of the page that sent the request. */
  origin: string;
  /** Reads the session from the database, bypassing the cache, with the user's role in `scope`. Null if the session has ended. */
  lookUp(scope: RequestScope): Promise<SessionMatch | null>;
}

/** A browser that is signed in to a mailbox. */
export interface WebSession {
  projectId: string;
  mailboxId: string;
  /** uuid */
  sessionId: string;
  /** The mailbox's session counter. A session ends when the counter changes. */
  sessionsVersion: number;
  /** The mailbox's address, in its stored spelling. */
  address: string;
  displayName: string | null;
  /** The time of the owner's last sign-in or confirmation. */
  confirmedAt: Date;
}

/** A request about one mailbox, from its owner or from a user with the required role in its project. */
interface MailboxCall<Body, Query> {
  /** Only this mailbox is read or changed. */
  mailbox: { projectId: string; mailboxId: string };
  body: Body;
  query: Query;
}

/** A request from the mailbox's owner, in the web client. */
interface OwnerCall<Body, Query> extends MailboxCall<Body, Query> {
  session: WebSession;
  /** The value of `{id}`. */
  id: string;
  /** The value of `{part}`, unchanged from the path. */
  part: string;
  /** Whether the request came over TLS. */
  isSecure: boolean;
  /** The origin of the page that sent the request. */
  origin: string;
  /** Aborts when the client disconnects, to stop work that only serves the response. */
  signal: AbortSignal;
}

/**
 * The argument for an operation: the values that each of its entry points (`doors`) can provide. No operation accepts both the API key of a
 * project and the owner of a mailbox.
 */
type CallOf<
  Declared extends Declaration,
  Body = BodyOf<Declared>,
  Query = QueryOf<Declared>,
> = Declared['doors'] extends { api: object; mail: object }
  ? never
  : Declared['doors'] extends { api: object }
    ? keyof Declared['doors'] extends 'api'
      ? KeyCall<Body, Query>
      : ProjectCall<Body, Query>
    : Declared['doors'] extends { dashboard: object; mail: object }
      ? MailboxCall<Body, Query>
      : Declared['doors'] extends { mail: object }
        ? OwnerCall<Body, Query>
        : Declared['doors'] extends { cli: object }
          ? OrganizationCall<Body, Query>
          : UserCall<Body, Query>;

/**
 * The implementations of operations, except operations that an entry point implements itself (`raw`). Each implementation resolves with the
 * response body: an object, or JSON as text. An operation on a resource resolves with null or false when the project has no such resource.
 * No body is sent if the operation declares no body.
 * @typeParam Parts the parts of the core that the operations need
 */
export type Run<Operations extends Readonly<Record<string, Declaration>>, Parts> = {
  readonly [Name in keyof Operations as Operations[Name] extends { raw: true } ? never : Name]: (
    parts: Parts,
    call: CallOf<Operations[Name]>,
  ) => Promise<unknown>;
};
