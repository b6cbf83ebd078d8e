/** The method names of operations in the SDK. The SDK generator and the examples in the documentation use these names. */
import type { ApiDocument } from './api-document.ts';

/**
 * Names each operation by its verb within its tag, such as `send` for `sendEmail`. If an earlier operation of the tag has the same verb,
 * the operation keeps its full name, such as `sendBatch`.
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
