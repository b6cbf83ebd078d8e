import { Fragment } from 'react';

/** An address of mail or the name of a domain, for narrow places: it breaks at its dots and before the @, and elsewhere only where a part alone is too long. */
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
