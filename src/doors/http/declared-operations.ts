/** Turns the operations that modules declare into the operations of a door. */
import type { ApiDoor, DashboardDoor, Declaration, WebClientDoor } from '../../contract/operation.ts';

/** Runs an operation. `call` is the intersection of what its doors provide. */
type RunOperation<Parts> = (parts: Parts, call: never) => Promise<unknown>;

/** @typeParam Parts the dependencies of its operations */
export interface OperationModule<Parts> {
  operations: Readonly<Record<string, Declaration>>;
  /** Loads the implementation when an operation is first called. Generating documents does not need it. */
  load(): Promise<{ run: Readonly<Record<string, RunOperation<Parts>>> }>;
}

/** @param load absent if the doors implement all operations */
export function moduleOf<Parts>(
  operations: OperationModule<Parts>['operations'],
  load: OperationModule<Parts>['load'] = async () => ({ run: {} }),
): OperationModule<Parts> {
  return { operations, load };
}

type PartsConsumer<Each> = Each extends OperationModule<infer Parts> ? (parts: Parts) => void : never;
/** The dependencies of all modules of a union. */
export type PartsOf<Each> = PartsConsumer<Each> extends (parts: infer Parts) => void ? Parts : never;

interface Doors {
  api: ApiDoor;
  dashboard: DashboardDoor;
  mail: WebClientDoor;
}

/** An operation that a door implements itself. `Call` is the door's view of a request. */
export interface RawOperation<Call> {
  declaration: Declaration;
  run(call: Call): Promise<unknown>;
}

/** The way in which a door offers the operations of modules. */
interface Door<Kind extends keyof Doors, Parts, Call> {
  modules: readonly OperationModule<Parts>[];
  kind: Kind;
  /** The operations that the door implements itself. */
  raw: readonly RawOperation<Call>[];
  /** The dependencies that a call gives to modules. */
  partsOf(call: Call): Parts;
  inputOf(call: Call): object;
}

/** An operation of a module, as one door offers it. */
interface AtDoor<Kind extends keyof Doors, Call> {
  declaration: Declaration;
  door: Doors[Kind];
  run(call: Call): Promise<unknown>;
}

/**
 * The operations that modules declare for a door, by their names at that door.
 * @throws TypeError if two operations have one name, or if `raw` lacks one that the door must implement
 */
export function doorOperations<Kind extends keyof Doors, Definition, Parts, Call>(
  { modules, kind, raw, partsOf, inputOf }: Door<Kind, Parts, Call>,
  define: (operation: AtDoor<Kind, Call>) => Definition,
): Record<string, Definition> {
  const defined: Record<string, Definition> = {};
  for (const module of modules)
    for (const [name, declaration] of Object.entries(module.operations)) {
      const door = declaration.doors[kind] as Doors[Kind] | undefined;
      if (door === undefined) continue;
      const id = door.id ?? name;
      if (id in defined) throw new TypeError(`two operations are called ${id}`);
      const own = raw.find((each) => each.declaration === declaration);
      if (declaration.raw === true && own === undefined) throw new TypeError(`no door implements ${id}`);
      const runInModule = runOf(module, name);
      const run = own?.run ?? ((call: Call) => runInModule(partsOf(call), inputOf(call)));
      defined[id] = define({ declaration, door, run });
    }
  return defined;
}

/** A door's documentation of an operation, with its input and output. */
export function documentationAt(
  { summary, description, body, takes, query, success, errors }: Declaration,
  door: ApiDoor | DashboardDoor | WebClientDoor,
): Omit<Declaration, 'doors' | 'raw'> {
  const documented = {
    description: door.description ?? description,
    body,
    takes,
    query,
    errors: door.errors ?? errors,
  };
  return {
    summary: door.summary ?? summary,
    ...definedOf(documented),
    success: { ...success, description: door.success ?? success.description },
  };
}

/** Removes the members that are undefined. */
export function definedOf<T extends object>(members: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>;
  };
}

/** Splits a route into its method and path. */
export function routeOf<Method extends string, Path extends string>({
  route,
}: {
  route: `${Method} ${Path}`;
}): { method: Method; path: Path } {
  const [method, path] = route.split(' ');
  return { method: method as Method, path: path as Path };
}

/** Returns the function that runs the named operation of a module. */
export function runOf<Parts>(
  module: OperationModule<Parts>,
  name: string,
): (parts: Parts, call: object) => Promise<unknown> {
  let run: RunOperation<Parts> | undefined;
  return async (parts, call) => {
    run ??= (await module.load()).run[name];
    if (run === undefined) throw new TypeError(`the module has no implementation of ${name}`);
    return run(parts, call as never);
  };
}

/**
 * Sorts the operations of a door by the order of its document. Operations missing from the order come last.
 * @throws TypeError if two operations have one name, or if the order names an unknown operation
 */
export function inOrder<Definition>(
  order: readonly string[],
  ...parts: Readonly<Record<string, Definition>>[]
): Record<string, Definition> {
  const entries = parts.flatMap((part) => Object.entries(part));
  const positions = new Map(order.map((name, position) => [name, position]));
  const positionOf = ([name]: [string, Definition]) => positions.get(name) ?? order.length;
  const sorted = Object.fromEntries(entries.toSorted((one, other) => positionOf(one) - positionOf(other)));
  if (Object.keys(sorted).length < entries.length) throw new TypeError('two operations have one name');
  const missing = order.find((name) => !(name in sorted));
  if (missing !== undefined) throw new TypeError(`there is no operation ${missing}`);
  return sorted;
}
