/**
 * An operation is an action or a query that users and programs can request from the service. The module that implements an operation
 * declares it once, in `operations.ts`. Doors, OpenAPI documents and permissions are derived from the declarations. A declaration contains
 * no code that runs; the implementation is in `run.ts` in the same folder.
 */
import type { Static, TSchema } from 'typebox';
import type { ErrorCode } from '../model/app-error.ts';
import type { IdPrefix } from '../model/ids.ts';
import type { MailboxAccess } from '../model/mailbox-rights.ts';
import type { Role } from '../model/roles.ts';
import type { Scope } from '../model/scopes.ts';

export type Method = 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** A method and a path relative to the door's prefix, such as `GET /emails/{id}`. */
type Route<Of extends Method, Path extends string = string> = `${Of} /${Path}`;

/** The first segment of an API path, which is also the tag in the OpenAPI document. */
export type ApiTag =
  | 'emails'
  | 'domains'
  | 'mailboxes'
  | 'aliases'
  | 'webhooks'
  | 'routes'
  | 'templates'
  | 'directory'
  | 'suppressions';

/** The resource that an id in a path names, and the prefix of its ids. */
export interface Resource {
  name: string;
  prefix: IdPrefix;
}

/** Texts for one door that replace the texts of the declaration. */
interface DoorTexts {
  /** The operation id in the OpenAPI document of the door. Default: the name of the operation in its module. */
  id?: string;
  summary?: string;
  description?: string;
  /** The description of the success response. */
  success?: string;
  errors?: readonly ErrorCode[];
}

/** The operation at a path below `/v1`, with an API key. The first segment of the path determines the resource that `{id}` names. */
export interface ApiDoor extends DoorTexts {
  route: Route<'GET' | 'POST' | 'PATCH' | 'DELETE', `${ApiTag}${string}`>;
  scope: Scope;
  /**
   * The dashboard operation with the same effect, if it is a different operation. A role that may not call the dashboard operation may not
   * create keys with the scope of this operation. If several dashboard operations have the same effect, name the one with the highest role.
   */
  twin?: string;
  /** The resource that `{part}` names, which is a part of the resource that `{id}` names. */
  part?: Resource;
  /** Request headers, for the OpenAPI document only. The operation checks the headers itself. */
  headers?: Readonly<Record<string, TSchema>>;
}

/**
 * The role required in the project of the path, or in the organization of a path without a project. `operator`: an operator of the
 * installation. `signed-in`: any signed-in user. `anyone`: no session needed.
 */
type Access = Role | 'operator' | 'signed-in' | 'anyone';

/** Requests that have stricter requirements than other requests of the operation: a higher role, and always a fresh confirmation. */
interface Elevated {
  /** The required role. */
  role: Role;
  /** The field of the body that triggers these requirements, for docs/roles.md. */
  field: string;
  /** Returns whether a valid body triggers these requirements. */
  by(body: Readonly<Record<string, unknown>>): boolean;
}

/**
 * The operation at a path below `/dashboard/api`, with a session. Returns 404 if the user is not a member of the project or organization.
 */
export interface DashboardDoor extends DoorTexts {
  route: Route<Method>;
  role: Access;
  /**
   * When an operation for any signed-in user is available although an organization requires a stronger sign-in. `session`: always, to read,
   * confirm and end the session. `second-factor`: until the user has a second factor. Absent: never.
   */
  availability?: 'session' | 'second-factor';
  /** True if the user must have confirmed their identity in the last ten minutes: for operations on keys, secrets and people. */
  needsConfirmation?: true;
  /** The requests with stricter requirements. Absent: `role` and `needsConfirmation` apply to every valid body. */
  elevated?: Elevated;
  /** The resource that `{id}` names. */
  resource?: Resource;
  /** The resource that `{part}` names, which is a part of the resource that `{id}` names. */
  part?: Resource;
}

/** The operation at a path below `/mail/api`. Only paths below `/session` and `/sign-in` are open without a session. */
export interface WebClientDoor extends DoorTexts {
  route: Route<Method, `mailboxes/{mailbox}${string}` | `session${string}` | `sign-in${string}`>;
  /** True if the user must have confirmed their identity in the last ten minutes: for passwords, and changes that share or forward mail. */
  needsConfirmation?: true;
  /**
   * The access that a member of the mailbox needs for the operation (docs/shared-mailboxes.md). Absent: only the owner may call it.
   */
  member?: MailboxAccess;
  /**
   * True if a signature in the URL proves access instead of a cookie, because browsers send no cookies with requests for images in a frame
   * without an origin. The operation checks the signature. Allowed only for GET.
   */
  signed?: true;
  /** The resource that `{id}` names. */
  resource?: Resource;
  /** The name of the parameter `{part}`: a text that names a part of the resource that `{id}` names. */
  part?: string;
  /** The maximum size of the body. Default: 256 KiB. */
  maxBodyBytes?: number;
}

/** A table for terminals. */
export interface CliTable<Row> {
  /** A cell is a member of the row or a function of the row. A member `..._at` is shown as an age. `isCut` columns may be truncated. */
  columns: readonly { title: string; cell: (keyof Row & string) | ((row: Row) => string); isCut?: true }[];
  /** The text for an empty list. `{project}` and the names of other options in braces are replaced with their values. */
  none: string;
}

/** Checks at compile time that the cells of a table match its rows. */
export function tableOf<Row>(table: CliTable<Row>): CliTable<never> {
  return table;
}

/**
 * A command with direct access to the database: a user who can run a command has all permissions. The path determines the options that name
 * the resource: `--project` or `--org`, then `--address` for a mailbox or `--id` for any other resource. Each field of the body and of the
 * query is an option.
 */
export interface CliDoor {
  /** The words after `posthorn`: the group and the action. */
  command: `${string} ${string}`;
  /** The description in the help text. */
  description: string;
  /** The options of an example in the help text, which works after users have replaced names and ids. */
  example: string;
  /** Descriptions of options that the schema does not describe, by their names in the operation. */
  options?: Readonly<Record<string, string>>;
  /** Default values of fields that the body requires. */
  defaults?: Readonly<Record<string, string>>;
  /** The table that prints the response. Absent: each member is printed on a line. JSON output is the response itself. */
  table?: CliTable<never>;
  /** For an operation without a response body: the name of the only member of the JSON output, whose value is true. Example: `deleted`. */
  trueMember?: string;
  /** For an operation without a response body: the printed text. Example: `deleted {id}`. Default: the text of `trueMember`. */
  message?: string;
  /** The error if the resource does not exist. */
  notFoundMessage?: string;
}

interface Success {
  status: 200 | 201 | 202 | 204;
  description: string;
  /** The schema of the body. Absent with 204, and with `media`. */
  body?: TSchema;
  /** An example of the body, if the example of the schema does not fit. */
  example?: unknown;
  headers?: Readonly<Record<string, TSchema>>;
  /** The media type of a response that is not JSON. */
  media?: string;
}

export interface Declaration {
  /** The summary for doors that declare no summary. */
  summary: string;
  description?: string;
  /** The schema of the request body. Absent: the request must have no body, or `{}`. */
  body?: TSchema;
  /** Set if the body is not JSON. The operation reads the octets of the body from the request as they arrive and limits their number. */
  bodyKind?: 'octets';
  /** The schema of the query parameters. Absent: the request must have no query parameters. */
  query?: TSchema;
  success: Success;
  /** The errors specific to the operation. Errors common to all operations, and `not-found` for operations on a resource, are added. */
  errors?: readonly ErrorCode[];
  /** Set if the door implements the operation with the raw request and reply: for streams, cookies, headers or the client's address. */
  raw?: true;
  /** The doors that offer the operation, with the access that each door requires. There is no default. */
  doors: { api?: ApiDoor; dashboard?: DashboardDoor; mail?: WebClientDoor; cli?: CliDoor };
}

/** Returns the declaration, with the exact types of its schemas and routes. */
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
