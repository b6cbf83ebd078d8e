import type { ComponentProps, ReactNode } from 'react';
import { classes } from './classes.ts';

export interface TableProps {
  /** What it lists, for people who do not see where it stands. */
  label: string;
  /** Cells of the head: Th. */
  head: ReactNode;
  /** Rows: Row. */
  children: ReactNode;
  /** Nothing in it is a link or a button: the keys that scroll it need a place. */
  isText?: boolean;
}

/** On a narrow screen it is scrolled sideways by itself, never the page. */
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
  /** Left out on narrow screens. */
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

/** A link in it with the class `rowLink` is the whole row for the mouse. */
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

/** For the one link of a row that opens what the row is about. */
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
