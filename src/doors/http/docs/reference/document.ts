/** Lookups in the OpenAPI document, used by the reference pages. */
import type {
  ApiDocument,
  DocumentOperation,
  Media,
  Parameter,
  Reference,
  Response,
  Schema,
} from '../../api-document.ts';
import type { Scope } from '../../../../model/scopes.ts';
import { scopeNote } from '../../openapi.ts';
import { OPERATIONS } from '../../v1/operations.ts';

/** An operation of the document, with its method, its path and its scope. */
export interface FoundOperation extends DocumentOperation {
  /** The HTTP method, in upper case. */
  method: string;
  path: string;
  /** The required scope. Null if the operation is not part of the API. */
  scope: Scope | null;
}

const SCOPES = new Map(OPERATIONS.map(({ operationId, scope }) => [operationId, scope]));

export class DocumentReader {
  readonly document: ApiDocument;
  readonly operations: readonly FoundOperation[];

  constructor(document: ApiDocument) {
    this.document = document;
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        const scope = SCOPES.get(operation.operationId) ?? null;
        const { description = '' } = operation;
        return {
          ...operation,
          // Leave the scope out of the description, because the page shows the scope separately.
          description: scope === null ? description : description.replace(scopeNote(scope), '').trimEnd(),
          scope,
          method: method.toUpperCase(),
          path,
        };
      }),
    );
  }

  /** Resolves a `$ref` reference of the document. */
  deref<T extends object>(value: T | Reference): T {
    if (!('$ref' in value) || typeof value.$ref !== 'string') return value as T;
    const path = value.$ref.slice(2).split('/');
    return path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], this.document) as T;
  }

  /** The operations of a resource. Deletions come last, because the examples before them need the resource. */
  operationsOf(tag: string): FoundOperation[] {
    return this.operations
      .filter(({ tags }) => tags.includes(tag))
      .toSorted((one, other) => Number(one.method === 'DELETE') - Number(other.method === 'DELETE'));
  }

  responses(operation: DocumentOperation): [status: string, response: Response][] {
    return Object.entries(operation.responses).map(([status, response]) => [status, this.deref(response)]);
  }

  parameters({ parameters = [] }: DocumentOperation): readonly Parameter[] {
    return parameters;
  }

  /** The first example of a body. Undefined if the body has no example. */
  exampleOf(media: Media | undefined): unknown {
    if (media === undefined) return undefined;
    const named = Object.values(media.examples ?? {})[0]?.value;
    return media.example ?? named ?? this.deref<Schema>(media.schema ?? {}).examples?.[0];
  }

  /** The example in the success response of an operation. */
  successExample(operation: DocumentOperation): unknown {
    const success = this.responses(operation).find(([status]) => status.startsWith('2'))?.[1];
    return this.exampleOf(success?.content?.['application/json']);
  }
}

/** The last segment of a reference, which is the name of the component. */
export function nameOf(reference: string): string {
  return reference.split('/').at(-1) ?? reference;
}
