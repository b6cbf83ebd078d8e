/** The method names that the SDK gives to operations, for its generator and for the examples in the documentation. */
import type { ApiDocument } from './api-document.ts';

/**
 * Names an operation by its verb within its tag: `send` for sendEmail. A later operation with the same verb keeps its full name: `sendBatch`.
 * @returns method names by `operationId`
 */
export function clientMethods({ paths }: Pick<ApiDocument, 'paths'>): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const used = new Set<string>();
  for (const { operationId, tags } of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const [verb = operationId] = /^[a-z]+/.exec(operationId) ?? [];
    const inTag = `${tags[0]} ${verb}`;
    names.set(operationId, used.has(inTag) ? operationId : verb);
    used.add(inTag);
  }
  return names;
}
