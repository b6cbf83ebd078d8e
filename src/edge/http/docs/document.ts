/** The OpenAPI document as far as the pages read it. */

export interface Reference {
  $ref: string;
}

export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  description?: string;
  format?: string;
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  examples?: readonly unknown[];
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  allOf?: readonly Schema[];
  not?: Schema;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minProperties?: number;
  maxProperties?: number;
  'x-max-bytes'?: number;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  example?: unknown;
  schema: Schema;
}

export interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: Readonly<Record<string, { value?: unknown }>>;
}

interface Header {
  description?: string;
  required?: boolean;
}

export interface Response {
  description: string;
  headers?: Readonly<Record<string, Header | Reference>>;
  content?: Readonly<Record<string, Media>>;
}

export interface DocumentOperation {
  operationId: string;
  summary: string;
  description?: string;
  tags?: readonly string[];
  parameters?: readonly (Parameter | Reference)[];
  requestBody?: { required?: boolean; content: Readonly<Record<string, Media>> };
  responses: Readonly<Record<string, Response | Reference>>;
}

export interface ApiDocument {
  info: { title: string; version: string; description?: string };
  servers: readonly { url: string; description?: string }[];
  tags: readonly { name: string; description?: string }[];
  paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>;
  components: {
    schemas: Readonly<Record<string, Schema>>;
    securitySchemes: Readonly<Record<string, { description?: string }>>;
  };
}

/** An operation with what it is filed under. */
export interface FoundOperation extends DocumentOperation {
  /** In capitals. */
  method: string;
  path: string;
  /** Null: the document names none. */
  scope: string | null;
}

const SCOPE = /\s*Scope: `([^`]+)`\.\s*$/;

export class DocumentReader {
  readonly document: ApiDocument;
  readonly operations: readonly FoundOperation[];

  constructor(document: ApiDocument) {
    this.document = document;
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        ...operation,
        description: (operation.description ?? '').replace(SCOPE, ''),
        scope: SCOPE.exec(operation.description ?? '')?.[1] ?? null,
        method: method.toUpperCase(),
        path,
      })),
    );
  }

  /** What a reference of the document stands for. */
  deref<T extends object>(value: T | Reference): T {
    if (!('$ref' in value) || typeof value.$ref !== 'string') return value as T;
    const path = value.$ref.slice(2).split('/');
    return path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], this.document) as T;
  }

  responses(operation: DocumentOperation): [status: string, response: Response][] {
    return Object.entries(operation.responses).map(([status, response]) => [status, this.deref(response)]);
  }

  parameters(operation: DocumentOperation): Parameter[] {
    return (operation.parameters ?? []).map((parameter) => this.deref<Parameter>(parameter));
  }

  /** The first example of a body; undefined where there is none. */
  exampleOf(media: Media | undefined): unknown {
    if (media === undefined) return undefined;
    const named = Object.values(media.examples ?? {})[0]?.value;
    return media.example ?? named ?? this.schemaExample(media.schema);
  }

  schemaExample(schema: Schema | undefined): unknown {
    return schema === undefined ? undefined : this.deref<Schema>(schema).examples?.[0];
  }

  /** The example of what an operation answers with success. */
  successExample(operation: DocumentOperation): unknown {
    const success = this.responses(operation).find(([status]) => status.startsWith('2'))?.[1];
    return this.exampleOf(success?.content?.['application/json']);
  }
}

/** The last part of a reference to a component. */
export function nameOf(reference: string): string {
  return reference.split('/').at(-1) ?? reference;
}
