import { Fragment } from 'react';

/**
 * An email address or domain for narrow columns: it wraps at its dots and before the @, and elsewhere only if a
 * single part is too long.
 */
export function Address({ children }: { children: string }) {
  return (
    <span className="wrap-anywhere">
      {children.split(/(?<=[.-])|(?=@)/).map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of one address have no other name
        <Fragment key={at}>
          {at > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </span>
  );
}
