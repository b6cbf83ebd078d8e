/** Builds the parts of the service's OpenAPI documents: parameters, bodies, responses and errors of operations. */
import type { TSchema } from 'typebox';
import { Problem } from '../../contract/problem.ts';
import { Ref } from '../../contract/schema.ts';
import type { ErrorCode } from '../../model/app-error.ts';
import type { DocumentHeader, Media, Parameter, Reference, Response, Schema } from './api-document.ts';
import { PROBLEM_MEDIA_TYPE, PROBLEMS } from './problem.ts';
import type { ProblemExample } from './problem-examples.ts';

export function header(description: string, schema: Schema, required = true): DocumentHeader {
  return { description, required, schema };
}

export const integer = (minimum: number): Schema => ({ type: 'integer', minimum });

export const SHARED_HEADERS = {
  'X-Request-Id': header('The id of this request. Quote it when you report a problem.', {
    type: 'string',
    minLength: 1,
  }),
  'Retry-After': header('Seconds to wait before you try again.', integer(1)),
};

/** Schemas by the names that `$ref` references use. */
export function schemasOf(components: readonly TSchema[]): Record<string, Schema> {
  return Object.fromEntries(
    components.map((component) => {
      const { $id = '', ...schema } = component as Schema & { $id?: string };
      return [$id, namedOnce(schema)];
    }),
  );
}

/**
 * Replaces the schemas of list elements with references. Validation needs the whole schema, but the document defines each component only
 * once.
 */
function namedOnce(schema: Schema): Schema {
  const { properties } = schema;
  if (properties === undefined) return schema;
  const fields = Object.entries(properties).map(([name, field]) => {
    const { items } = field as { items?: TSchema };
    return [name, items !== undefined && '$id' in items ? { ...field, items: Ref(items) } : field];
  });
  return { ...schema, properties: Object.fromEntries(fields) };
}

interface Parameters {
  headers?: Readonly<Record<string, TSchema>> | undefined;
  query?: TSchema | undefined;
  /** The names of the path parameters, such as `id`, each with an example. Null: no example. */
  inPath: Readonly<Record<string, string | null>>;
}

/** An address in examples of paths, where it is percent-encoded. */
export const ADDRESS_EXAMPLE = 'ann@dst.example';

export function parametersOf({ headers = {}, query, inPath }: Parameters): Parameter[] {
  const { properties = {}, required = [] } = (query ?? {}) as Schema;
  const parameter = (
    location: Parameter['in'],
    name: string,
    isRequired: boolean,
    whole: Schema,
  ): Parameter => {
    const { description, examples = [], ...schema } = whole;
    const [example] = examples;
    return {
      schema,
      in: location,
      name,
      required: isRequired,
      description,
      ...(example === undefined ? {} : { example }),
    };
  };
  const id = { type: 'string', description: 'The ID of the resource. A malformed ID returns 404.' };
  const address = { type: 'string', description: 'An email address, percent-encoded: `ann%40dst.example`.' };
  return [
    ...Object.entries(headers).map(([name, schema]) => parameter('header', name, false, schema)),
    ...Object.entries(properties).map(([name, schema]) =>
      parameter('query', name, required.includes(name) && schema.default === undefined, schema),
    ),
    ...Object.entries(inPath).map(([name, example]) =>
      parameter('path', name, true, {
        ...(name === 'address' ? address : id),
        ...(example === null ? {} : { examples: [example] }),
      }),
    ),
  ];
}

export function requestBodyOf(body: TSchema | undefined) {
  if (body === undefined) return {};
  return { requestBody: { required: ((body as Schema).required ?? []).length > 0, ...jsonContent(body) } };
}

interface Success {
  description: string;
  body?: TSchema;
  example?: unknown;
  headers?: Readonly<Record<string, TSchema>>;
  /** The media type of the body, if the body is not JSON. */
  media?: string;
}

/** @param common the names of headers that every response of the document has */
export function successResponse(
  { description, body, example, media, headers = {} }: Success,
  common: readonly string[],
): Response {
  const own = Object.entries<Schema>(headers).map(([name, { description, ...schema }]) => {
    return [name, { schema, description }] as const;
  });
  return {
    description,
    headers: { ...headerReferences(common), ...Object.fromEntries(own) },
    ...(body === undefined ? {} : jsonContent(body, example)),
    ...(media === undefined ? {} : { content: { [media]: { schema: { type: 'string' } } } }),
  };
}

/**
 * References a shared response for each status. A shared response is named after its error codes and the variants of its examples.
 * @param shared receives the shared responses
 */
export function errorResponses(
  codes: readonly ErrorCode[],
  shared: Record<string, Response>,
  {
    exampleOf,
    headersOf,
  }: {
    exampleOf: (code: ErrorCode) => ProblemExample;
    /** The names of the headers that responses with this status have. */
    headersOf: (status: number) => readonly string[];
  },
): Record<string, Reference> {
  const byStatus = Map.groupBy(new Set(codes), (code) => PROBLEMS[code].status);
  const statuses = [...byStatus].sort(([one], [other]) => one - other);
  return Object.fromEntries(
    statuses.map(([status, found]) => {
      const examples = found.map((code) => ({ code, ...exampleOf(code) }));
      const name = examples
        .map(({ code, variant }) => (variant === null ? code : `${code}.${variant}`))
        .join('_');
      shared[name] ??= {
        description: `${found.map((code) => PROBLEMS[code].title).join('; ')}.`,
        headers: headerReferences(headersOf(status)),
        content: {
          [PROBLEM_MEDIA_TYPE]: {
            schema: referenceTo(Problem),
            examples: Object.fromEntries(examples.map(({ code, value }) => [code, { value }])),
          },
        },
      };
      return [status, { $ref: `#/components/responses/${name}` }];
    }),
  );
}

/** @param example if absent, the first example of the schema; API clients import only examples that are beside the schema */
export function jsonContent(
  schema: TSchema,
  example: unknown = (schema as Schema).examples?.[0],
): { content: Record<string, Media> } {
  const media = { schema: referenceTo(schema), ...(example === undefined ? {} : { example }) };
  return { content: { 'application/json': media } };
}

/** References a named schema. A schema without a name is written inline. */
function referenceTo(schema: TSchema): Schema {
  const named: Schema = '$id' in schema ? (Ref(schema) as Schema) : schema;
  return named;
}

function headerReferences(names: readonly string[]): Record<string, Reference> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
