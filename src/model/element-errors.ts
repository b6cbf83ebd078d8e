import { AppError } from './app-error.ts';

type Errors = Readonly<Record<string, string>>;

/**
 * What is wrong with one element of a list that the request has, said of that list: `errors` names top-level fields alone.
 * @param errors of the element as if it was the request: `{ to: 'to[0]: not an address' }`
 * @returns `emails[3].to[0]: not an address`
 */
export function elementError(list: string, at: number, errors: Errors): string {
  return Object.entries(errors)
    .map(([field, message]) => {
      // The message may name the element of the field: `to[0]: `, `headers["X-A"]: `.
      const isOfElement = message.startsWith(`${field}[`);
      return `${list}[${at}].${isOfElement ? message : `${field}: ${message}`}`;
    })
    .join('; ');
}

/** The error of an element as that of the whole request. */
export function ofElement(list: string, at: number, error: unknown): unknown {
  if (!(error instanceof AppError) || error.errors === undefined) return error;
  return new AppError(error.code, error.message, {
    errors: { [list]: elementError(list, at, error.errors) },
    cause: error,
  });
}
