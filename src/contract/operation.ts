/**
 * An operation: something that a user or a program can request from the service, declared once by the module that implements it, in its
 * `operations.ts`. Doors, documents and permissions are derived from the declarations. A declaration is pure; its implementation is in
 * `run.ts` in the same folder.
 */
import type { Static, TSchema } from 'typebox';
import type { ErrorCode } from '../model/app-error.ts';
import type { IdPrefix } from '../model/ids.ts';
import type { Role } from '../model/roles.ts';
import type { Scope } from '../model/scopes.ts';

export type Method = 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** A method and a path relative to the door's prefix, such as `GET /emails/{id}`. */
type Route<Of extends Method, Path extends string = string> = `${Of} /${Path}`;

/** The first segment of an API path, which is also the tag in the document. */
export type ApiTag =
  | 'emails'
  | 'domains'
  | 'mailboxes'
  | 'aliases'
  | 'webhooks'
  | 'templates'
  | 'directory'
  | 'suppressions';

/** The resource that an id in a path names, and the prefix of its ids. */
export interface Resource {
  name: string;
  prefix: IdPrefix;
}

/** Texts of a door that replace the texts of the declaration. */
interface DoorTexts {
  /** The operation id in the door's document. Default: the name of the operation in its module. */
  id?: string;
  summary?: string;
  description?: string;
  /** The description of the success response. */
  success?: string;
  errors?: readonly ErrorCode[];
}

/** Below `/v1`, with an API key. The first segment of the path determines the resource that `{id}` names. */
export interface ApiDoor extends DoorTexts {
  route: Route<'GET' | 'POST' | 'PATCH' | 'DELETE', `${ApiTag}${string}`>;
  scope: Scope;
  /**
   * The dashboard operation with the same effect, if that is a different operation. A role that may not call the dashboard operation cannot
   * grant the scope either. If there are several such operations, name the one that requires the highest role.
   */
  twin?: string;
  /** Request headers, for the document; the operation checks them itself. */
  headers?: Readonly<Record<string, TSchema>>;
}

/**
 * The role required in the project of the path, otherwise in its organisation. `operator`: an operator of the installation. `signed-in`: any
 * signed-in user. `anyone`: no session needed.
 */
type Access = Role | 'operator' | 'signed-in' | 'anyone';

/** Requests that require more than the operation's other requests: a higher role, and always a fresh confirmation. */
interface Elevated {
  /** The required role. */
  role: Role;
  /** The field of the body that triggers these requirements, for docs/roles.md. */
  field: string;
  /** Whether a valid body triggers these requirements. */
  by(body: Readonly<Record<string, unknown>>): boolean;
}

/** Below `/dashboard/api`, with a session. A project or organisation of which the user is not a member is unknown. */
export interface DashboardDoor extends DoorTexts {
  route: Route<Method>;
  role: Access;
  /**
   * For an operation of any signed-in user: when it is available although an organisation requires a stronger sign-in. `session`: always,
   * to read, confirm and end the session. `second-factor`: until the user has a second factor. Absent: not available.
   */
  serves?: 'session' | 'second-factor';
  /** True for operations on keys, secrets and people: the user must have confirmed their identity in the last ten minutes. */
  confirms?: true;
  /** Absent: `role` and `confirms` apply to every valid body. */
  elevated?: Elevated;
  /** The resource that `{id}` names. */
  resource?: Resource;
  /** The resource that `{part}` names, which is a part of the resource of `{id}`. */
  part?: Resource;
}

/** Below `/mail/api`. Only paths below `/session` and `/sign-in` are open without a session. */
export interface WebClientDoor extends DoorTexts {
  route: Route<Method, `mailboxes/{mailbox}${string}` | `session${string}` | `sign-in${string}`>;
  /** True for passwords, and for changes that give others access or forward mail: the user must have confirmed their identity in the last ten minutes. */
  confirms?: true;
  /**
   * A signature in the URL proves access, and the operation checks the signature. Browsers request images of a frame without an origin
   * without cookies. Only allowed for GET.
   */
  signed?: true;
  /** The resource that `{id}` names. */
  resource?: Resource;
  /** The name of `{part}`, a part of the resource of `{id}`: a text that the operation reads. */
  part?: string;
  /** The maximum size of the body. Default: 256 KiB. */
  maxBodyBytes?: number;
}

/** A table for terminals. */
export interface CliTable<Row> {
  /** A cell is a member of the row, shown as an age if its name ends in `_at`. Columns with `isCut` are truncated in narrow terminals. */
  columns: readonly { title: string; cell: (keyof Row & string) | ((row: Row) => string); isCut?: true }[];
  /** The text for an empty list. `{project}` and other options are replaced with their values. */
  none: string;
}

/** Checks at compile time that the cells of a table match its rows. */
export function tableOf<Row>(table: CliTable<Row>): CliTable<never> {
  return table;
}

/**
 * A command with direct access to the database: anyone who can run it may do everything. The path determines the options that name the resource:
 * `--project` or `--org`, then `--address` of a mailbox or `--id` of anything else. Each field of the body and of the query is an option.
 */
export interface CliDoor {
  /** The words after `posthorn`: the group and the action. */
  command: `${string} ${string}`;
  /** The description in the help text. */
  description: string;
  /** Options that work when pasted, except for names and ids. */
  example: string;
  /** Descriptions of options that the schema does not describe, by their names in the operation. */
  options?: Readonly<Record<string, string>>;
  /** Default values of fields that the body requires. */
  defaults?: Readonly<Record<string, string>>;
  /** Absent: each member of the response is printed on a line. JSON output is the response itself. */
  table?: CliTable<never>;
  /** For an operation that returns nothing, the member of the JSON output that is true: `deleted`. */
  done?: string;
  /** The text printed for an operation that returns nothing: `deleted {id}`. Default: the text of `done`. */
  says?: string;
  /** The error if the resource does not exist. */
  missing?: string;
}

interface Success {
  status: 200 | 201 | 202 | 204;
  description: string;
  /** Absent with 204, and with `media`. */
  body?: TSchema;
  headers?: Readonly<Record<string, TSchema>>;
  /** The media type of a response that is not JSON. */
  media?: string;
}

export interface Declaration {
  /** The summary for doors that declare no summary. */
  summary: string;
  description?: string;
  /** Absent: the request may have no body, or `{}`. */
  body?: TSchema;
  /** The body is not JSON: the operation reads its octets from the request as they arrive, and enforces its own limit. */
  takes?: 'octets';
  /** Absent: the request may have no parameters. */
  query?: TSchema;
  success: Success;
  /** The operation's own errors. Errors that every operation can return, and `not-found` of a resource, are added. */
  errors?: readonly ErrorCode[];
  /** The door implements the operation with the raw request and reply, for streams, cookies, headers or the client's address. */
  raw?: true;
  /** The doors that offer the operation, and the access that each requires. There is no default. */
  doors: { api?: ApiDoor; dashboard?: DashboardDoor; mail?: WebClientDoor; cli?: CliDoor };
}

/** Preserves the types of the schemas and the routes. */
export function declare<const Declared extends Declaration>(declaration: Declared): Declared {
  return declaration;
}

/** The type of an operation's validated body. */
export type BodyOf<Declared> = Declared extends { body: infer Body extends TSchema } ? Static<Body> : unknown;
/** The type of an operation's validated query parameters. */
export type QueryOf<Declared> = Declared extends { query: infer Query extends TSchema }
  ? Static<Query>
  : unknown;
/** The type of an operation's JSON response. */
export type ResponseBodyOf<Declared> = Declared extends { success: { body: infer Body extends TSchema } }
  ? Static<Body>
  : never;
