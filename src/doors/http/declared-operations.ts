/** Turns the operations that modules declare into the operations of a door. The doors are the API, the dashboard and the web client. */
import type { ApiDoor, DashboardDoor, Declaration, WebClientDoor } from '../../contract/operation.ts';

/** Runs an operation. `call` is the intersection of the calls that the doors of the operation provide. */
type RunOperation<Parts> = (parts: Parts, call: never) => Promise<unknown>;

/** @typeParam Parts the dependencies of the module's operations */
export interface OperationModule<Parts> {
  operations: Readonly<Record<string, Declaration>>;
  /** Loads the implementation. Called when an operation first runs, so that generating a document does not load any implementation. */
  load(): Promise<{ run: Readonly<Record<string, RunOperation<Parts>>> }>;
}

/** @param load omitted if the doors implement all operations of the module */
export function moduleOf<Parts>(
  operations: OperationModule<Parts>['operations'],
  load: OperationModule<Parts>['load'] = async () => ({ run: {} }),
): OperationModule<Parts> {
  return { operations, load };
}

type PartsConsumer<Each> = Each extends OperationModule<infer Parts> ? (parts: Parts) => void : never;
/** The dependencies of all modules in the union `Each`. */
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

/** How one door offers the operations of modules. */
interface Door<Kind extends keyof Doors, Parts, Call> {
  modules: readonly OperationModule<Parts>[];
  kind: Kind;
  /** The operations that the door implements itself. */
  raw: readonly RawOperation<Call>[];
  /** The dependencies that the door passes to modules for a call. */
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
 * The operations that modules declare for a door, by operation id at the door.
 * @throws TypeError if two operations have the same id, or if `raw` lacks an operation that the door must implement
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

/** The documentation of an operation at a door, including the schemas of its input and output. */
export function documentationAt(
  { summary, description, body, bodyKind, query, success, errors }: Declaration,
  door: ApiDoor | DashboardDoor | WebClientDoor,
): Omit<Declaration, 'doors' | 'raw'> {
  const documented = {
    description: door.description ?? description,
    body,
    bodyKind,
    query,
    errors: door.errors ?? errors,
  };
  return {
    summary: door.summary ?? summary,
    ...definedOf(documented),
    success: { ...success, description: door.success ?? success.description },
  };
}

/** Omits the members whose value is undefined. */
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

/** Returns a function that runs the named operation of a module. */
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
 * Sorts the operations of a door in the given order of ids. Operations missing from `order` come last.
 * @throws TypeError if two operations have the same id, or if `order` contains an unknown id
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
