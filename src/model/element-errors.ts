import { AppError } from './app-error.ts';

type Errors = Readonly<Record<string, string>>;

/**
 * Moves the error of a list element to the list, because `errors` names only top-level fields.
 * @param errors the errors of the element as if it were the request: `{ to: 'to[0]: not an address' }`
 * @returns `emails[3].to[0]: not an address`
 */
export function elementError(list: string, at: number, errors: Errors): string {
  return Object.entries(errors)
    .map(([field, message]) => {
      // The message may already begin with a path: `to[0]: `, `headers["X-A"]: `.
      const isOfElement = message.startsWith(`${field}[`);
      return `${list}[${at}].${isOfElement ? message : `${field}: ${message}`}`;
    })
    .join('; ');
}

/** Turns the error of one list element into the error of the whole request. */
export function ofElement(list: string, at: number, error: unknown): unknown {
  if (!(error instanceof AppError) || error.errors === undefined) return error;
  return new AppError(error.code, error.message, {
    errors: { [list]: elementError(list, at, error.errors) },
    cause: error,
  });
}
