/** What implements the operations of a room: a function for each, called with what all of its doors know. */
import type { BodyOf, Declaration, QueryOf } from '../contract/operation.ts';
import type { Principal } from './principal.ts';
import type { SessionMatch, RequestScope } from './signed-in.ts';

/** A checked request about a project, from a caller who may make it. Ids are uuids; a malformed one is the nil uuid. */
interface ProjectCall<Body, Query> {
  projectId: string;
  /** Of `{id}`. */
  id: string;
  body: Body;
  query: Query;
}

/** The same with an API key. */
interface KeyCall<Body, Query> extends ProjectCall<Body, Query> {
  /** Of `{address}`, as it came. */
  address: string;
}

/** The same about an organisation or one of its projects. */
interface OrganizationCall<Body, Query> extends ProjectCall<Body, Query> {
  organizationId: string;
  /** Of `{part}`. */
  partId: string;
}

/** The same from a user of the dashboard. */
interface UserCall<Body, Query> extends OrganizationCall<Body, Query> {
  principal: Principal;
  /** The origin of the page that the request comes from. */
  origin: string;
  /** The session as it is now, and what its user is in another place. Null: it has ended. */
  look(place: RequestScope): Promise<SessionMatch | null>;
}

/** A browser that is signed in to a mailbox. */
export interface WebSession {
  projectId: string;
  mailboxId: string;
  /** uuid */
  sessionId: string;
  /** Of the mailbox: a session ends with it. */
  sessionsVersion: number;
  /** Of the mailbox, as it has it. */
  address: string;
  displayName: string | null;
  /** When it was sure the last time that the owner sits there. */
  confirmedAt: Date;
}

/** A request about one mailbox, from its owner or from a user with the role in its project. */
interface MailboxCall<Body, Query> {
  /** Nothing else is read or changed. */
  mailbox: { projectId: string; mailboxId: string };
  body: Body;
  query: Query;
}

/** The same from its owner, in the web client. */
interface OwnerCall<Body, Query> extends MailboxCall<Body, Query> {
  session: WebSession;
  /** Of `{id}`. */
  id: string;
  /** Of `{part}`, as it stands in the path. */
  part: string;
  /** Whether the request came over TLS. */
  isSecure: boolean;
  /** The origin of the page that the request comes from. */
  origin: string;
  /** Aborts when the client goes away: ends work that is for the answer alone. */
  gone: AbortSignal;
}

/** What all doors of an operation know. A key is of a project and an owner of a mailbox: no operation is for both. */
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
 * The implementations of operations, but of those that their doors implement. Each resolves with the body of the answer: an object, or JSON as text. One on a resource resolves
 * with null or false when the project has no such resource. Nothing is sent where success has no body.
 * @typeParam Parts what they need of the core
 */
export type Run<Operations extends Readonly<Record<string, Declaration>>, Parts> = {
  readonly [Name in keyof Operations as Operations[Name] extends { raw: true } ? never : Name]: (
    parts: Parts,
    call: CallOf<Operations[Name]>,
  ) => Promise<unknown>;
};
