/** What the rooms declare, as the operations of a door. */
import type { ApiDoor, DashboardDoor, Declaration, WebClientDoor } from '../../contract/operation.ts';

/** Carries out an operation. Its call has what the doors of the operation give. */
type RunOperation<Parts> = (parts: Parts, call: never) => Promise<unknown>;

/** @typeParam Parts what its operations are run with */
export interface Room<Parts> {
  operations: Readonly<Record<string, Declaration>>;
  /** Loaded when an operation is first asked for: documents need none. */
  load(): Promise<{ run: Readonly<Record<string, RunOperation<Parts>>> }>;
}

/** @param load absent: doors implement all of them */
export function room<Parts>(
  operations: Room<Parts>['operations'],
  load: Room<Parts>['load'] = async () => ({ run: {} }),
): Room<Parts> {
  return { operations, load };
}

type Taking<Each> = Each extends Room<infer Parts> ? (parts: Parts) => void : never;
/** What all rooms of a union together are run with. */
export type PartsOf<Each> = Taking<Each> extends (parts: infer Parts) => void ? Parts : never;

interface Doors {
  api: ApiDoor;
  dashboard: DashboardDoor;
  mail: WebClientDoor;
}

/** An operation that its door implements. `Call` is what the door knows of a request. */
export interface RawOperation<Call> {
  declaration: Declaration;
  run(call: Call): Promise<unknown>;
}

/** How a door has the operations of rooms. */
interface Door<Kind extends keyof Doors, Parts, Call> {
  rooms: readonly Room<Parts>[];
  kind: Kind;
  /** Those that the door implements. */
  raw: readonly RawOperation<Call>[];
  /** What rooms are given of a call. */
  partsOf(call: Call): Parts;
  told(call: Call): object;
}

/** An operation of a room, as one door has it. */
interface AtDoor<Kind extends keyof Doors, Call> {
  declaration: Declaration;
  door: Doors[Kind];
  run(call: Call): Promise<unknown>;
}

/**
 * The operations of rooms that a door has, by their names there.
 * @throws TypeError two have one name, or one that the door is to implement is not among `raw`
 */
export function ofRooms<Kind extends keyof Doors, Definition, Parts, Call>(
  { rooms, kind, raw, partsOf, told }: Door<Kind, Parts, Call>,
  define: (operation: AtDoor<Kind, Call>) => Definition,
): Record<string, Definition> {
  const defined: Record<string, Definition> = {};
  for (const room of rooms)
    for (const [name, declaration] of Object.entries(room.operations)) {
      const door = declaration.doors[kind] as Doors[Kind] | undefined;
      if (door === undefined) continue;
      const id = door.id ?? name;
      if (id in defined) throw new TypeError(`two operations are called ${id}`);
      const own = raw.find((each) => each.declaration === declaration);
      if (declaration.raw === true && own === undefined) throw new TypeError(`no door implements ${id}`);
      const runInRoom = runOf(room, name);
      const run = own?.run ?? ((call: Call) => runInRoom(partsOf(call), told(call)));
      defined[id] = define({ declaration, door, run });
    }
  return defined;
}

/** What a door says of an operation, and takes and gives. */
export function saidAt(
  { summary, description, body, takes, query, success, errors }: Declaration,
  door: ApiDoor | DashboardDoor | WebClientDoor,
): Omit<Declaration, 'doors' | 'raw'> {
  const said = {
    description: door.description ?? description,
    body,
    takes,
    query,
    errors: door.errors ?? errors,
  };
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
export function runOf<Parts>(
  room: Room<Parts>,
  name: string,
): (parts: Parts, call: object) => Promise<unknown> {
  let run: RunOperation<Parts> | undefined;
  return async (parts, call) => {
    run ??= (await room.load()).run[name];
    if (run === undefined) throw new TypeError(`the room has no implementation of ${name}`);
    return run(parts, call as never);
  };
}

/**
 * The operations of a door by their names, in the order of its document. What the order does not name comes last.
 * @throws TypeError two have one name, or the order names what there is none of
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
  const missing = order.find((name) => !(name in sorted));
  if (missing !== undefined) throw new TypeError(`there is no operation ${missing}`);
  return sorted;
}
