/** The calls of an application, as openapi-fetch reads them, from what the rooms of the service declare. */
import type { ResponseBodyOf, BodyOf, QueryOf } from '../../src/contract/operation.ts';

/** The operations of a room that a door has, each with the two parts of its route. */
export type CallsOf<Operations, Door extends string> = {
  [Name in keyof Operations]: Operations[Name] extends {
    doors: Record<Door, { route: `${infer Method} ${infer Path}` }>;
  }
    ? { method: Lowercase<Method>; path: Path; declared: Operations[Name] }
    : never;
}[keyof Operations];

/** `paths` of openapi-fetch. @typeParam Calls of all rooms */
export type PathsOf<Calls extends { method: string; path: string; declared: unknown }> = {
  [Path in Calls['path']]: {
    [Each in Extract<Calls, { path: Path }> as Each['method']]: CallOf<Each['declared'], Path>;
  };
};

type CallOf<Declared, Path extends string> = {
  parameters: IdsOf<Path> & AskedOf<Declared>;
  responses: ResponsesOf<Declared>;
} & GivenOf<Declared>;

type IdsOf<Path extends string> = [NamesIn<Path>] extends [never]
  ? { path?: never }
  : { path: Record<NamesIn<Path>, string> };

/** The names in braces. */
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

type AskedOf<Declared> = Declared extends { query: object }
  ? OptionalIfEmpty<'query', Loose<WithDefaults<QueryOf<Declared>>>>
  : { query?: never };

type GivenOf<Declared> = Declared extends { body: object }
  ? OptionalIfEmpty<'requestBody', { content: { 'application/json': Loose<BodyOf<Declared>> } }>
  : { requestBody?: never };

type ResponsesOf<Declared> = Declared extends {
  success: { status: infer Status extends number; body: object };
}
  ? Record<Status, { content: { 'application/json': ResponseBodyOf<Declared> } }>
  : Declared extends { success: { status: infer Status extends number; media: infer Media extends string } }
    ? Record<Status, { content: Record<Media, string> }>
    : Declared extends { success: { status: infer Status extends number } }
      ? Record<Status, { content?: never }>
      : never;

type OptionalIfEmpty<Name extends string, Value> = object extends Value
  ? { [Only in Name]?: Value }
  : { [Only in Name]: Value };

/** `limit` has a default everywhere. */
type WithDefaults<Query> = Omit<Query, 'limit'> &
  ('limit' extends keyof Query ? { limit?: number } : unknown);

/** A field that is undefined is left out of what is sent. */
type Loose<Value> = {
  [Name in keyof Value]: object extends Pick<Value, Name> ? Value[Name] | undefined : Value[Name];
};
