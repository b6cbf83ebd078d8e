/**
 * The calls of an application in the form of openapi-fetch, derived from the operations that the service declares.
 */
import type { ResponseBodyOf, BodyOf, QueryOf } from '../../src/contract/operation.ts';

/** The operations that a door offers, with the method and path of their route. */
export type CallsOf<Operations, Door extends string> = {
  [Name in keyof Operations]: Operations[Name] extends {
    doors: Record<Door, { route: `${infer Method} ${infer Path}` }>;
  }
    ? { method: Lowercase<Method>; path: Path; declared: Operations[Name] }
    : never;
}[keyof Operations];

/** The `paths` type of openapi-fetch. @typeParam Calls all calls of the application */
export type PathsOf<Calls extends { method: string; path: string; declared: unknown }> = {
  [Path in Calls['path']]: {
    [Each in Extract<Calls, { path: Path }> as Each['method']]: CallOf<Each['declared'], Path>;
  };
};

type CallOf<Declared, Path extends string> = {
  parameters: IdsOf<Path> & RequestQuery<Declared>;
  responses: ResponsesOf<Declared>;
} & RequestBody<Declared>;

type IdsOf<Path extends string> = [NamesIn<Path>] extends [never]
  ? { path?: never }
  : { path: Record<NamesIn<Path>, string> };

/** The parameter names in braces. */
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

type RequestQuery<Declared> = Declared extends { query: object }
  ? OptionalIfEmpty<'query', Loose<WithDefaults<QueryOf<Declared>>>>
  : { query?: never };

type RequestBody<Declared> = Declared extends { body: object }
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

/** `limit` has a default in all operations. */
type WithDefaults<Query> = Omit<Query, 'limit'> &
  ('limit' extends keyof Query ? { limit?: number } : unknown);

/** A field that is undefined is not sent. */
type Loose<Value> = {
  [Name in keyof Value]: object extends Pick<Value, Name> ? Value[Name] | undefined : Value[Name];
};
