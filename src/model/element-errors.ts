import { AppError } from './app-error.ts';

type Errors = Readonly<Record<string, string>>;

/**
 * Turns the errors of a list element into an error message for the list, because `errors` in a response names only top-level fields.
 * @param errors the errors of the element, with paths from the element: `{ to: 'to[0]: not an address' }`
 * @returns the message with paths from the request: `emails[3].to[0]: not an address`
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
