import type { ComponentProps, MouseEvent, ReactNode } from 'react';
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
      {...opensLink}
      {...rest}
      className={classes(
        'relative border-b border-line transition-colors duration-75 hover:bg-hover has-[.row-link]:cursor-pointer',
        className,
      )}
    />
  );
}

/** The class names of the link in a row that opens the row's resource. Its text can be selected, so it cannot be dragged. */
export const rowLink =
  'row-link font-medium text-text [-webkit-user-drag:none] hover:text-accent focus-visible:outline-offset-4';

/** Elements in a row that handle their own clicks. Beside a checkbox a click does nothing, because it probably missed the checkbox. */
const OWN_CLICKS =
  'a, button, input, select, textarea, label, summary, dialog, [popover], :is(td, [role=cell]):has(input)';

/**
 * Handlers of a row with a `rowLink`: a click anywhere on the row is a click on the link, also with a modifier key or the middle button.
 * A link stretched over the row would be simpler, but then no text of the row could be selected.
 */
export const opensLink = { onClickCapture: openLink, onAuxClick: openLink, onMouseDown: selectInLink };

function openLink(event: MouseEvent<HTMLElement>): void {
  const { currentTarget: row, target, detail, button, ctrlKey, metaKey, shiftKey } = event;
  const link = row.querySelector('.row-link');
  // `detail` is 0 for the Enter key, and for the click that this function dispatches.
  if (link === null || detail === 0 || !(target instanceof Element) || button > 1) return;
  const selected = getSelection();
  if (button === 0 && selected?.isCollapsed === false && selected.containsNode(row, true)) {
    // The mouse was released after text of the row was selected.
    if (link.contains(target)) event.preventDefault();
  } else if (target.closest(OWN_CLICKS) === null)
    link.dispatchEvent(
      new window.MouseEvent('click', {
        bubbles: true,
        cancelable: true,
        // On macOS the modifier that opens a new tab is Command.
        ctrlKey: ctrlKey || button === 1,
        metaKey: metaKey || button === 1,
        shiftKey,
      }),
    );
}

/** If the mouse moves less than this while a button is down, in pixels, it is a click. */
const CLICK_PX = 4;

/** Selects text of the link while the mouse moves, because browsers do not begin a selection in a link. */
function selectInLink({
  currentTarget: row,
  target,
  button,
  clientX,
  clientY,
}: MouseEvent<HTMLElement>): void {
  const isInLink = target instanceof Element && target.closest('.row-link') !== null;
  // `caretPositionFromPoint` is missing in older versions of Safari.
  const start = isInLink && button === 0 ? document.caretPositionFromPoint?.(clientX, clientY) : null;
  if (start == null) return;
  // An earlier selection would turn the click into the end of a selection.
  getSelection()?.removeAllRanges();
  const over = new AbortController();
  const { signal } = over;
  const select = (event: globalThis.MouseEvent): void => {
    if (Math.hypot(event.clientX - clientX, event.clientY - clientY) < CLICK_PX) return;
    const end = document.caretPositionFromPoint(event.clientX, event.clientY);
    if (end !== null && row.contains(end.offsetNode))
      getSelection()?.setBaseAndExtent(start.offsetNode, start.offset, end.offsetNode, end.offset);
  };
  document.addEventListener('mousemove', select, { signal });
  // Otherwise the browser drags what is selected so far.
  document.addEventListener('dragstart', (event) => event.preventDefault(), { signal });
  document.addEventListener('mouseup', () => over.abort(), { signal });
}

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
