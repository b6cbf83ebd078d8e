/**
 * An operation: something that a person or a program may ask of the service, declared once by the room that does it, in its
 * `operations.ts`. Doors, documents and permissions are made from the declarations. A declaration is pure: what carries it out stands
 * beside it, in `run.ts`.
 */
import type { Static, TSchema } from 'typebox';
import type { ErrorCode } from '../model/app-error.ts';
import type { IdPrefix } from '../model/ids.ts';
import type { Role } from '../model/roles.ts';
import type { Scope } from '../model/scopes.ts';

export type Method = 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** A method and a path below that of the door, such as `GET /emails/{id}`. */
type Route<Of extends Method, Path extends string = string> = `${Of} /${Path}`;

/** The first part of a path of the API, which is also the tag in its document. */
export type ApiTag =
  | 'emails'
  | 'domains'
  | 'mailboxes'
  | 'aliases'
  | 'webhooks'
  | 'templates'
  | 'directory'
  | 'suppressions';

/** What an id of a path names, and how it begins. */
export interface Resource {
  name: string;
  prefix: IdPrefix;
}

/** What a door says otherwise than the declaration. */
interface DoorTexts {
  /** Its name in the document of the door. Default: its name among the operations of its room. */
  id?: string;
  summary?: string;
  description?: string;
  /** Of the answer. */
  success?: string;
  errors?: readonly ErrorCode[];
}

/** Below `/v1`, with an API key. What an `{id}` names is told by the first part of the path. */
export interface ApiDoor extends DoorTexts {
  route: Route<'GET' | 'POST' | 'PATCH' | 'DELETE', `${ApiTag}${string}`>;
  scope: Scope;
  /**
   * The operation of the dashboard that does the same, where it is another one: a role that may not call it cannot grant the scope
   * either. Of several name the one that takes most.
   */
  twin?: string;
  /** Request headers, for the document; the operation checks them itself. */
  headers?: Readonly<Record<string, TSchema>>;
}

/**
 * The least role: in the project of the path, else in its organisation. `operator`: of the installation. `signed-in`: whoever is.
 * `anyone`: nobody is asked who they are.
 */
type Access = Role | 'operator' | 'signed-in' | 'anyone';

/** Requests of an operation that need more than the rest of it: this role, and always a fresh confirmation. */
interface Elevated {
  /** The least role. */
  role: Role;
  /** The field of the body that makes the difference, for docs/roles.md. */
  field: string;
  /** Whether a body, which fits the schema, needs it. */
  by(body: Readonly<Record<string, unknown>>): boolean;
}

/** Below `/dashboard/api`, with a session. A project or an organisation in which the user is nobody is unknown. */
export interface DashboardDoor extends DoorTexts {
  route: Route<Method>;
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
  /** What `{id}` names. */
  resource?: Resource;
  /** What `{part}` names, behind the `{id}` that it is a part of. */
  part?: Resource;
}

/** Below `/mail/api`. Nobody is asked who they are below `/session` and `/sign-in` alone. */
export interface WebClientDoor extends DoorTexts {
  route: Route<Method, `mailboxes/{mailbox}${string}` | `session${string}` | `sign-in${string}`>;
  /** Asks again who sits there when that was not sure for ten minutes: before passwords and whatever lets others in or mail out. */
  confirms?: true;
  /**
   * Who may is proved by a signature in the address, and the operation looks at it: images of a frame without an origin come without
   * cookies. Only with GET.
   */
  signed?: true;
  /** What `{id}` names. */
  resource?: Resource;
  /** What `{part}` names, behind the `{id}` that it is a part of: a text that the operation reads. */
  part?: string;
  /** Of the body. By default 256 KiB. */
  maxBodyBytes?: number;
}

/** A list for people. */
export interface CliTable<Row> {
  /** Of a name: that member, or its age where the name ends in `_at`. Cells of cut columns are shortened where the terminal is narrow. */
  columns: readonly { title: string; cell: (keyof Row & string) | ((row: Row) => string); isCut?: true }[];
  /** Said of an empty list. `{project}` and other options stand for themselves. */
  none: string;
}

/** Checks the cells of a table against its rows. */
export function tableOf<Row>(table: CliTable<Row>): CliTable<never> {
  return table;
}

/**
 * On the command line beside the database: everyone who may run it may do everything. The path says which options name the resource:
 * `--project` or `--org`, then `--address` of a mailbox or `--id` of anything else. Each field of the body and of the query is an option.
 */
export interface CliDoor {
  /** Behind `posthorn`: the group, and what it does. */
  command: `${string} ${string}`;
  /** For the help. */
  description: string;
  /** Options that work as they are pasted, but for names and ids. */
  example: string;
  /** What options are for, by their names in the operation: those that the schema does not describe. */
  options?: Readonly<Record<string, string>>;
  /** Of fields that the body requires. */
  defaults?: Readonly<Record<string, string>>;
  /** Absent: each member of the answer is a line. JSON is the answer itself. */
  table?: CliTable<never>;
  /** The member of the JSON that is true, where the operation answers with nothing: `deleted`. */
  done?: string;
  /** For people, then: `deleted {id}`. Default: `done`. */
  says?: string;
  /** Error where there is no such resource. */
  missing?: string;
}

interface Success {
  status: 200 | 201 | 202 | 204;
  description: string;
  /** Absent with 204, and with `media`. */
  body?: TSchema;
  headers?: Readonly<Record<string, TSchema>>;
  /** The type of an answer that is no JSON. */
  media?: string;
}

export interface Declaration {
  /** What doors say of it that say nothing of their own. */
  summary: string;
  description?: string;
  /** Absent: the request may have no body, or `{}`. */
  body?: TSchema;
  /** The body is no JSON: the operation reads its octets from the request as they come, and counts them. */
  takes?: 'octets';
  /** Absent: the request may have no parameters. */
  query?: TSchema;
  success: Success;
  /** Errors beside those of every operation and the `not-found` of a resource. */
  errors?: readonly ErrorCode[];
  /** Its door implements it, with the request and the reply: it has a stream, a cookie, headers or the address of its client. */
  raw?: true;
  /** Who may ask for it, and how. There is no default. */
  doors: { api?: ApiDoor; dashboard?: DashboardDoor; mail?: WebClientDoor; cli?: CliDoor };
}

/** Keeps the types of the schemas and the routes. */
export function declare<const Declared extends Declaration>(declaration: Declared): Declared {
  return declaration;
}

/** What its body is, once checked. */
export type BodyOf<Declared> = Declared extends { body: infer Body extends TSchema } ? Static<Body> : unknown;
/** What its parameters are, once checked. */
export type QueryOf<Declared> = Declared extends { query: infer Query extends TSchema }
  ? Static<Query>
  : unknown;
/** What it answers with JSON. */
export type ResponseBodyOf<Declared> = Declared extends { success: { body: infer Body extends TSchema } }
  ? Static<Body>
  : never;
