import type { ComponentProps, ReactNode } from 'react';
import { classes } from './classes.ts';

export interface TableProps {
  /** The accessible name of the table. */
  label: string;
  /** The cells of the head, as `Th` elements. */
  head: ReactNode;
  /** The rows of the table, as `Row` elements. */
  children: ReactNode;
  /** Set if the table contains no links or buttons. The table must then be focusable to scroll with the keyboard. */
  isText?: boolean;
}

/** A table. On a narrow screen only the table scrolls sideways, never the page. */
export function Table({ label, head, children, isText = false }: TableProps) {
  return (
    <div
      className="overflow-x-auto focus-visible:outline-offset-4"
      {...(isText && { role: 'group', tabIndex: 0, 'aria-label': label })}
    >
      <table aria-label={label} className="w-full border-collapse text-left">
        <thead>
          <tr className="border-b border-line text-xs text-muted">{head}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

interface CellProps {
  isNumeric?: boolean;
  /** Whether the column is hidden on narrow screens. */
  isWideOnly?: boolean;
}

export function Th({
  isNumeric = false,
  isWideOnly = false,
  className,
  ...rest
}: ComponentProps<'th'> & CellProps) {
  return (
    <th
      scope="col"
      {...rest}
      className={classes(
        'h-9 pr-4 font-medium whitespace-nowrap first:pl-2 last:pr-2',
        isNumeric && 'text-right',
        isWideOnly && 'hidden md:table-cell',
        className,
      )}
    />
  );
}

/** A row of a table. If a link in the row has the class `rowLink`, a click anywhere on the row opens the link. */
export function Row({ className, ...rest }: ComponentProps<'tr'>) {
  return (
    <tr
      {...rest}
      className={classes(
        'relative border-b border-line transition-colors duration-75 hover:bg-hover',
        className,
      )}
    />
  );
}

/** The class names of the link in a row that opens the row's resource. */
export const rowLink =
  'font-medium text-text after:absolute after:inset-0 hover:text-accent focus-visible:outline-offset-4';

export function Td({
  isNumeric = false,
  isWideOnly = false,
  className,
  ...rest
}: ComponentProps<'td'> & CellProps) {
  return (
    <td
      {...rest}
      className={classes(
        'h-11 py-1.5 pr-4 first:pl-2 last:pr-2',
        isNumeric && 'text-right',
        isWideOnly && 'hidden md:table-cell',
        className,
      )}
    />
  );
}
