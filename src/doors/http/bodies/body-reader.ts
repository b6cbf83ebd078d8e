/** Turns the bytes of a body into a validated value for an operation. Slow work runs in a worker thread. */
import type { MaybePromise } from '../../../model/maybe-promise.ts';
import { parseScanned, scanJson, textOf } from '../json.ts';
import { Nothing, type Operation } from '../operation.ts';
import { compileCheck, isObject } from '../validation.ts';
import { LargeBodies } from './large-bodies.ts';
import type { ReadBody } from './read-body.ts';

/** Larger bodies, and bodies with more values, are read in the worker thread, because a single address can take 100 µs to validate. */
const LARGE_BYTES = 65_536;
const LARGE_VALUES = 100;

export class BodyReader implements AsyncDisposable {
  readonly #large: LargeBodies;

  constructor(operations: readonly Operation[]) {
    const schemas = operations.map(({ operationId, body }) => [operationId, body ?? Nothing] as const);
    this.#large = new LargeBodies(Object.fromEntries(schemas));
  }

  /**
   * Returns the body reader of one operation. The reader returns a promise only for large bodies.
   * @throws AppError malformed-json; bad-request if there are too many values; validation-failed if a string has text that no field may
   * contain
   */
  of({ operationId, body = Nothing }: Operation) {
    const check = compileCheck(body);
    const addsDefaults = Object.values((body as { properties?: object }).properties ?? {}).some(
      (field: object) => 'default' in field,
    );
    return (projectId: string, bytes: Buffer | undefined): MaybePromise<ReadBody> => {
      let value: unknown = {};
      if (bytes !== undefined) {
        const text = bytes.length > LARGE_BYTES ? null : textOf(bytes);
        if (text === null || scanJson(text) > LARGE_VALUES)
          return this.#large.read({ projectId, operationId, bytes });
        value = parseScanned(text);
      }
      if (bytes === undefined) return { value, sent: undefined, errors: check(value), examined: null };
      const sent = addsDefaults && isObject(value) ? { ...value } : value;
      return { value, sent, errors: check(value), examined: null };
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#large[Symbol.asyncDispose]();
  }
}
