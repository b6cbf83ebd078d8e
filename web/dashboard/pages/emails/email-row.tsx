import { Link } from '@tanstack/react-router';
import type { LoggedEmail } from '../../../../src/contract/dashboard/email-log.ts';
import { Badge, Status } from '../../../ui/badge.tsx';
import { classes } from '../../../ui/classes.ts';
import { Copy } from '../../../ui/copy.tsx';
import { opensLink, rowLink } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { isLater } from './is-later.ts';

/** Row heights in pixels: four lines on phones, one line elsewhere. */
export const NARROW_HEIGHT = 104;
export const WIDE_HEIGHT = 44;
/** The height of the column heads, in pixels. */
export const HEADS_HEIGHT = 36;
/** The columns. On phones the recipient, the subject and the sender are below each other. */
const COLUMNS =
  'grid items-center gap-x-3 px-2 grid-cols-[auto_minmax(0,1fr)_auto] sm:grid-cols-[1rem_7rem_minmax(0,1fr)_minmax(0,1.4fr)_8rem] md:grid-cols-[1rem_7rem_minmax(0,1fr)_minmax(0,0.9fr)_minmax(0,1.5fr)_8rem]';
export const EMAIL_ROW_CLASS = `${COLUMNS} h-26 content-center gap-y-0.5 border-b border-line sm:h-11`;
/** Windows that are narrow, but not as narrow as a phone, have no room for the sender. */
const FROM =
  'order-5 col-span-3 truncate text-muted max-sm:text-sm sm:hidden md:order-none md:col-span-1 md:block';

/** The names of the columns. On phones only screen readers have them. */
export function EmailHeads() {
  return (
    <div
      role="row"
      aria-rowindex={1}
      className={classes(COLUMNS, 'text-xs font-medium text-muted max-sm:sr-only sm:h-9')}
    >
      <span role="columnheader" className="sr-only">
        Selected
      </span>
      <span role="columnheader" className="sm:col-start-2">
        Status
      </span>
      <span role="columnheader">To</span>
      <span role="columnheader" className="sm:max-md:hidden">
        From
      </span>
      <span role="columnheader">Subject</span>
      <span role="columnheader" className="pr-9 text-right">
        Accepted
      </span>
    </div>
  );
}

interface EmailRowProps {
  email: LoggedEmail;
  isSelected: boolean;
  /** @param isRange whether the rows between this one and the one selected last are selected too */
  onSelect(isRange: boolean): void;
}

/** One email of the list, as the cells of a row. A click anywhere on the row opens the email, unless it ends a selection of text. */
export function EmailRow({ email, isSelected, onSelect }: EmailRowProps) {
  const { id, status, subject, from, to, tags, created_at, scheduled_at } = email;
  const waits = isLater(email);
  const isUntitled = subject.trim() === '';
  const [first = '', ...others] = to;
  return (
    <div
      {...opensLink}
      className={classes(
        EMAIL_ROW_CLASS,
        'group cursor-pointer transition-colors duration-75',
        isSelected ? 'bg-selected' : 'focus-within:bg-hover hover:bg-hover',
      )}
    >
      <span role="cell">
        {/* The label makes the checkbox easier to hit. */}
        <label className="-m-2 grid size-8 place-items-center">
          <span className="sr-only">Select {isUntitled ? 'the email without a subject' : subject}</span>
          <input
            type="checkbox"
            className="size-4 accent-fill not-checked:opacity-0 group-focus-within:opacity-100! group-hover:opacity-100! max-sm:opacity-100! pointer-coarse:opacity-100!"
            checked={isSelected}
            onChange={() => undefined}
            onClick={(event) => onSelect(event.shiftKey)}
          />
        </label>
      </span>
      <span role="cell">
        <Status value={waits ? 'scheduled' : status} />
      </span>
      <span
        role="cell"
        className="order-3 col-span-3 truncate sm:order-none sm:col-span-1"
        title={to.join(', ')}
      >
        {first}
        {others.length > 0 && <span className="text-muted"> +{others.length}</span>}
      </span>
      <span role="cell" className={FROM} title={from}>
        <span className="md:hidden">from </span>
        {addressIn(from)}
      </span>
      <span
        role="cell"
        className="order-4 col-span-3 flex min-w-0 items-center gap-2 sm:order-none sm:col-span-1"
      >
        <Link
          to="/emails/$id"
          params={{ id }}
          preload={false}
          draggable={false}
          className={classes(rowLink, 'min-w-0 truncate', isUntitled && 'text-muted! italic')}
        >
          {isUntitled ? '(no subject)' : subject}
        </Link>
        {tags.slice(0, 2).map((tag) => (
          <span key={tag} className="hidden max-w-36 shrink-0 lg:inline-flex">
            <Badge>
              <span className="truncate">{tag}</span>
            </Badge>
          </span>
        ))}
        {tags.length > 2 && <span className="hidden text-xs text-muted lg:inline">+{tags.length - 2}</span>}
      </span>
      <span role="cell" className="flex items-center justify-end gap-1 text-muted">
        <span className="whitespace-nowrap">
          {waits && 'due '}
          <Time value={waits ? scheduled_at : created_at} />
        </span>
        <Copy
          text={id}
          what="the id"
          className="-my-1 opacity-100 sm:opacity-0 sm:group-focus-within:opacity-100 sm:group-hover:opacity-100"
        />
      </span>
    </div>
  );
}

/** The address of a sender, without the name: in this list, senders differ by their addresses. */
function addressIn(sender: string): string {
  return /<([^<>]+)>$/.exec(sender)?.[1] ?? sender;
}
