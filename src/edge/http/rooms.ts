/** The rooms whose operations are declared: what they declare, and what carries it out. */
import type { ApiDoor, DashboardDoor, Declaration, MailDoor } from '../../contract/operation.ts';
import { ACCOUNT_OPERATIONS } from '../../accounts/operations.ts';
import type { AccountParts } from '../../accounts/run.ts';
import { DOMAIN_OPERATIONS } from '../../domains/operations.ts';
import type { DomainParts } from '../../domains/run.ts';
import { DIRECTORY_OPERATIONS } from '../../directory/operations.ts';
import type { DirectoryParts } from '../../directory/run.ts';
import { FACTOR_OPERATIONS } from '../../accounts/factors/operations.ts';
import type { FactorParts } from '../../accounts/factors/run.ts';
import { MAILBOX_OPERATIONS } from '../../mailboxes/operations.ts';
import type { MailboxParts } from '../../mailboxes/run.ts';
import { MAILBOX_ACCESS_OPERATIONS } from '../../mailboxes/sign-in/operations.ts';
import type { MailboxAccessParts } from '../../mailboxes/sign-in/run.ts';
import { TEMPLATE_OPERATIONS } from '../../templates/operations.ts';
import type { TemplateParts } from '../../templates/run.ts';
import { WEBHOOK_OPERATIONS } from '../../webhooks/operations.ts';
import type { WebhookParts } from '../../webhooks/run.ts';
import { WEBHOOK_REPLAY_OPERATIONS } from '../../webhooks/replay/operations.ts';
import type { WebhookReplayParts } from '../../webhooks/replay/run.ts';
import { WEBHOOK_LOG_OPERATIONS } from '../../webhooks/log/operations.ts';
import type { WebhookLogParts } from '../../webhooks/log/run.ts';
import { DELIVERY_OPERATIONS } from '../../sending/deliver/operations.ts';
import type { DeliveryParts } from '../../sending/deliver/run.ts';
import { EMAIL_OPERATIONS } from '../../sending/read/operations.ts';
import type { EmailParts } from '../../sending/read/run.ts';
import { EMAIL_SEARCH_OPERATIONS } from '../../sending/search/operations.ts';
import type { EmailSearchParts } from '../../sending/search/run.ts';
import { SUPPRESSION_OPERATIONS } from '../../sending/suppress/operations.ts';
import type { SuppressionParts } from '../../sending/suppress/run.ts';
import { SERVICE_MAIL_OPERATIONS } from '../../sending/service-mail/operations.ts';
import type { ServiceMailParts } from '../../sending/service-mail/run.ts';
import { FILING_OPERATIONS } from '../../receiving/operations.ts';
import type { FilingParts } from '../../receiving/run.ts';
import { FILE_LINK_OPERATIONS } from '../../file-links/operations.ts';
import type { FileLinkParts } from '../../file-links/run.ts';
import { RETENTION_OPERATIONS } from '../../retention/operations.ts';
import type { RetentionParts } from '../../retention/run.ts';
import { INSPECT_OPERATIONS } from '../../inspect/operations.ts';
import type { InspectParts } from '../../inspect/run.ts';
import { OVERVIEW_OPERATIONS } from '../../inspect/overview/operations.ts';
import type { OverviewParts } from '../../inspect/overview/run.ts';
import { SYSTEM_OPERATIONS } from '../../system/operations.ts';
import type { SystemParts } from '../../system/run.ts';

/** What all rooms together need of the core. */
export interface RoomParts
  extends AccountParts,
    DomainParts,
    DirectoryParts,
    MailboxParts,
    MailboxAccessParts,
    TemplateParts,
    WebhookParts,
    WebhookReplayParts,
    WebhookLogParts,
    DeliveryParts,
    EmailParts,
    EmailSearchParts,
    SuppressionParts,
    FactorParts,
    ServiceMailParts,
    FilingParts,
    FileLinkParts,
    RetentionParts,
    InspectParts,
    OverviewParts,
    SystemParts {}

/** Carries out an operation. Its call has what the doors of the operation give. */
type RunOperation<Parts> = (parts: Parts, call: never) => Promise<unknown>;

/** @typeParam Parts what its operations are run with */
export interface Room<Parts = RoomParts> {
  operations: Readonly<Record<string, Declaration>>;
  /** Loaded when an operation is first asked for: documents need none. */
  load(): Promise<{ run: Readonly<Record<string, RunOperation<Parts>>> }>;
}

/** In the order of docs/architecture.md. */
export const ROOMS: readonly Room[] = [
  { operations: ACCOUNT_OPERATIONS, load: () => import('../../accounts/run.ts') },
  { operations: DOMAIN_OPERATIONS, load: () => import('../../domains/run.ts') },
  { operations: DIRECTORY_OPERATIONS, load: () => import('../../directory/run.ts') },
  { operations: FACTOR_OPERATIONS, load: () => import('../../accounts/factors/run.ts') },
  { operations: MAILBOX_OPERATIONS, load: () => import('../../mailboxes/run.ts') },
  { operations: MAILBOX_ACCESS_OPERATIONS, load: () => import('../../mailboxes/sign-in/run.ts') },
  { operations: TEMPLATE_OPERATIONS, load: () => import('../../templates/run.ts') },
  { operations: WEBHOOK_OPERATIONS, load: () => import('../../webhooks/run.ts') },
  { operations: WEBHOOK_REPLAY_OPERATIONS, load: () => import('../../webhooks/replay/run.ts') },
  { operations: WEBHOOK_LOG_OPERATIONS, load: () => import('../../webhooks/log/run.ts') },
  { operations: DELIVERY_OPERATIONS, load: () => import('../../sending/deliver/run.ts') },
  { operations: EMAIL_OPERATIONS, load: () => import('../../sending/read/run.ts') },
  { operations: EMAIL_SEARCH_OPERATIONS, load: () => import('../../sending/search/run.ts') },
  { operations: SUPPRESSION_OPERATIONS, load: () => import('../../sending/suppress/run.ts') },
  { operations: SERVICE_MAIL_OPERATIONS, load: () => import('../../sending/service-mail/run.ts') },
  { operations: FILING_OPERATIONS, load: () => import('../../receiving/run.ts') },
  { operations: FILE_LINK_OPERATIONS, load: () => import('../../file-links/run.ts') },
  { operations: RETENTION_OPERATIONS, load: () => import('../../retention/run.ts') },
  { operations: INSPECT_OPERATIONS, load: () => import('../../inspect/run.ts') },
  { operations: OVERVIEW_OPERATIONS, load: () => import('../../inspect/overview/run.ts') },
  { operations: SYSTEM_OPERATIONS, load: () => import('../../system/run.ts') },
];

interface Doors {
  api: ApiDoor;
  dashboard: DashboardDoor;
  mail: MailDoor;
}

/** An operation of a room, as one door has it. */
interface AtDoor<Kind extends keyof Doors, Parts> {
  /** In its room. */
  name: string;
  declaration: Declaration;
  door: Doors[Kind];
  run(parts: Parts, call: object): Promise<unknown>;
}

/**
 * The operations of rooms that a door has, by their names there.
 * @throws TypeError two have one name
 */
export function ofRooms<Kind extends keyof Doors, Definition, Parts>(
  rooms: readonly Room<Parts>[],
  kind: Kind,
  define: (operation: AtDoor<Kind, Parts>) => Definition,
): Record<string, Definition> {
  const defined: Record<string, Definition> = {};
  for (const room of rooms)
    for (const [name, declaration] of Object.entries(room.operations)) {
      const door = declaration.doors[kind] as Doors[Kind] | undefined;
      if (door === undefined) continue;
      const id = door.id ?? name;
      if (id in defined) throw new TypeError(`two operations are called ${id}`);
      defined[id] = define({ name, declaration, door, run: runOf(room, name) });
    }
  return defined;
}

/** What a door says of an operation, and takes and gives. */
export function saidAt(
  { summary, description, body, query, success, errors }: Declaration,
  door: ApiDoor | DashboardDoor | MailDoor,
): Omit<Declaration, 'doors'> {
  const said = { description: door.description ?? description, body, query, errors: door.errors ?? errors };
  return {
    summary: door.summary ?? summary,
    ...definedOf(said),
    success: { ...success, description: door.success ?? success.description },
  };
}

/** Without the members that are undefined. */
export function definedOf<T extends object>(members: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>;
  };
}

/** The method and the path of a route. */
export function routeOf<Method extends string, Path extends string>({
  route,
}: {
  route: `${Method} ${Path}`;
}): { method: Method; path: Path } {
  const [method, path] = route.split(' ');
  return { method: method as Method, path: path as Path };
}

/** Carries out an operation of a room, given by its name there. */
function runOf<Parts>(room: Room<Parts>, name: string): (parts: Parts, call: object) => Promise<unknown> {
  let run: RunOperation<Parts> | undefined;
  return async (parts, call) => {
    run ??= (await room.load()).run[name];
    if (run === undefined) throw new TypeError(`the room has no implementation of ${name}`);
    return run(parts, call as never);
  };
}

/**
 * The operations of a door by their names, in the order of its document. What the order does not name comes last.
 * @throws TypeError two have one name
 */
export function inOrder<Definition>(
  order: readonly string[],
  ...parts: Readonly<Record<string, Definition>>[]
): Record<string, Definition> {
  const entries = parts.flatMap((part) => Object.entries(part));
  const places = new Map(order.map((name, place) => [name, place]));
  const placeOf = ([name]: [string, Definition]) => places.get(name) ?? order.length;
  const sorted = Object.fromEntries(entries.toSorted((one, other) => placeOf(one) - placeOf(other)));
  if (Object.keys(sorted).length < entries.length) throw new TypeError('two operations have one name');
  return sorted;
}
