import { type MouseEvent, useId } from 'react';
import type { ConversationRow, MailPerson } from '../../../../src/contract/mail/conversations.ts';
import { number } from '../../../ui/amounts.ts';
import { classes } from '../../../ui/classes.ts';
import { ClipIcon, ReplyIcon } from '../../../ui/icons.tsx';
import { local } from '../../../ui/times.ts';
import { AnsweredBy } from '../../reading/answered-by.tsx';
import { shortDate } from '../../reading/dates.ts';
import { RowLabels } from '../../reading/labels/row-labels.tsx';
import { FoundLine } from '../../reading/found-line.tsx';
import { shortName, shownName } from '../../reading/people.ts';
import { HoverActions, Mark, Star } from './row-actions.tsx';
import type { RowProps } from './row-props.ts';
import { isTouch } from './use-media.ts';

/** One conversation of a list. A click anywhere on the row opens the conversation. */
export function ConversationLine(props: RowProps) {
  const { row, index, isLine, isCompact, isOpen, isChosen, isCursor, isReadOnly, on } = props;
  const isUnread = row.unread > 0;
  return (
    // The menu is also in the toolbar and in shortcuts, and dragging has the shortcut v.
    <div
      draggable={!isReadOnly && !isTouch()}
      onDragStart={(event) => on.drag(row, event.dataTransfer)}
      onDragEnd={on.drop}
      onContextMenu={(event) => {
        // With Shift, the browser's own menu opens. On a touch screen a long press selects the row instead.
        if (isReadOnly || (event.shiftKey && event.button === 2)) return;
        event.preventDefault();
        if (isTouch()) return;
        const point = pointOf(event);
        // Some systems report the event while the button is down. The browser closes a menu when the button is released outside it.
        if (event.buttons === 0) on.menu(row, point);
        else addEventListener('pointerup', () => setTimeout(() => on.menu(row, point)), { once: true });
      }}
      className={classes(
        'group relative flex h-full border-b border-line pr-3 pl-2 transition-colors duration-75',
        'has-[a:focus-visible]:outline-2 has-[a:focus-visible]:-outline-offset-2 has-[a:focus-visible]:outline-accent',
        isLine ? 'items-center gap-1' : isCompact ? 'items-start gap-1 py-2' : 'items-start gap-1 py-2.5',
        isOpen || isChosen ? 'bg-selected' : 'bg-page hover:bg-hover',
      )}
    >
      <span
        aria-hidden="true"
        className={classes(
          'absolute left-0 w-0.75 rounded-full bg-accent',
          isLine && isCompact ? 'inset-y-1.5' : isLine ? 'inset-y-2.5' : 'inset-y-3',
          !isUnread && 'hidden',
        )}
      />
      {isReadOnly ? (
        <span className="w-1" />
      ) : (
        <label
          className={classes(
            'relative z-1 grid w-8 shrink-0 place-items-center',
            isLine ? (isCompact ? 'h-7' : 'h-8') : '-mt-1.5 h-8',
          )}
        >
          <span className="sr-only">Select {row.subject || 'without a subject'}</span>
          <input
            type="checkbox"
            className="size-4 accent-fill"
            tabIndex={isCursor ? 0 : -1}
            checked={isChosen}
            onChange={() => undefined}
            onClick={(event) => on.choose(index, event.shiftKey)}
          />
        </label>
      )}
      {isLine ? <Line {...props} /> : <Card {...props} />}
    </div>
  );
}

/** The point of a mouse event. For the keyboard, the row itself. */
function pointOf({ clientX: x, clientY: y, button, currentTarget }: MouseEvent): { x: number; y: number } {
  if (button === 2) return { x, y };
  const { left, bottom } = currentTarget.getBoundingClientRect();
  return { x: left + KEYBOARD_MENU_PX, y: bottom };
}

/** The distance of a menu that was opened with the keyboard from the start of its row. */
const KEYBOARD_MENU_PX = 48;

function Line(props: RowProps) {
  const { row } = props;
  const id = useId();
  return (
    <>
      <Star {...props} />
      <span id={`${id}-people`} className="w-28 shrink-0 truncate ps-1 @xl:w-40 @4xl:w-52">
        <People {...props} />
      </span>
      <span className="flex min-w-0 flex-1 gap-2">
        <Subject {...props} id={id} className="max-w-full min-w-0 shrink-0 truncate" />
        <span dir="auto" className="hidden min-w-0 flex-1 truncate text-muted @xl:block">
          {row.found === undefined ? row.preview : <FoundLine row={row} />}
        </span>
      </span>
      <Marks row={row} />
      <RowLabels row={row} />
      <When {...props} id={`${id}-when`} className="w-20 text-end" />
      <HoverActions {...props} className="top-1/2 -translate-y-1/2" />
    </>
  );
}

/** A compact card has no preview. */
function Card(props: RowProps) {
  const { row, isCompact } = props;
  const id = useId();
  return (
    <>
      <div className="grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)]">
        <span className="flex items-baseline gap-2">
          <span id={`${id}-people`} className="min-w-0 flex-1 truncate">
            <People {...props} />
          </span>
          <When {...props} id={`${id}-when`} />
        </span>
        <span className="flex items-center gap-2">
          <Subject {...props} id={id} className="min-w-0 flex-1 truncate" />
          <Marks row={row} />
          <RowLabels row={row} />
          {isCompact && <Star {...props} className="-my-1 -me-2" />}
        </span>
        {!isCompact && (
          <span className="flex h-5 items-center gap-2">
            <span dir="auto" className="min-w-0 flex-1 truncate text-sm text-muted">
              {row.found === undefined ? row.preview : <FoundLine row={row} />}
            </span>
            <Star {...props} className="-me-2 -mb-1" />
          </span>
        )}
      </div>
      <HoverActions {...props} className="top-1" />
    </>
  );
}

function People({ row, address, showsTo }: RowProps) {
  const people: readonly (MailPerson & { unread?: boolean })[] = showsTo ? row.to : row.from;
  const nameIn = (person: MailPerson) =>
    person.address.toLowerCase() === address.toLowerCase()
      ? 'me'
      : people.length === 1
        ? shownName(person)
        : shortName(person);
  return (
    <>
      {showsTo && <span className="text-muted">To: </span>}
      {people.length === 0 && (
        <span className="text-muted">{showsTo ? 'No recipients' : 'Unknown sender'}</span>
      )}
      {people.map((person, at) => (
        <span key={person.address} title={person.address}>
          {at > 0 && ', '}
          <bdi className={person.unread === true ? 'font-semibold' : ''}>{nameIn(person)}</bdi>
        </span>
      ))}
      {row.messages > 1 && (
        <span className="ml-1.5 text-xs text-muted">
          {number(row.messages)}
          <span className="sr-only"> messages</span>
        </span>
      )}
    </>
  );
}

/**
 * The subject as a plain link instead of the router's `Link`. Each `Link` would compute its URL again whenever the page's
 * URL changes, and computing all URLs takes longer than rendering all rows.
 */
function Subject({
  row,
  index,
  folder,
  query,
  address,
  isOpen,
  isCursor,
  on,
  id,
  className,
}: RowProps & { id: string; className: string }) {
  const isUnread = row.unread > 0;
  const path = `/mail/${encodeURIComponent(address)}/${folder}/${row.id}`;
  return (
    <a
      href={path + query}
      tabIndex={isCursor ? 0 : -1}
      onFocus={() => on.focus(index)}
      // Only for the mouse, because a touch most likely starts scrolling.
      onPointerDown={({ pointerType, button }) => pointerType === 'mouse' && button === 0 && on.press(row)}
      onClick={(event) => {
        if (isForBrowser(event)) return;
        event.preventDefault();
        on.open(row, index);
      }}
      aria-current={isOpen ? 'true' : undefined}
      // A screen reader reads the authors, the number of messages and the date after the subject.
      aria-describedby={`${id}-people ${id}-when`}
      className={classes(
        'text-text outline-none after:absolute after:inset-0',
        isUnread && 'font-semibold',
        row.subject === '' && 'text-muted',
        className,
      )}
    >
      {isUnread && <span className="sr-only">Unread: </span>}
      <bdi>{row.subject === '' ? 'No subject' : row.subject}</bdi>
    </a>
  );
}

/** Whether the browser should handle a click. With a modifier key the user wants a new tab or window, or a download. */
function isForBrowser({ button, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent): boolean {
  return button !== 0 || metaKey || ctrlKey || shiftKey || altKey;
}

// Offline copies, and processes of the previous version during an upgrade, do not know who answered.
function Marks({ row }: { row: ConversationRow }) {
  return (
    <span className="flex shrink-0 items-center gap-1.5 text-muted">
      {row.has_draft && <span className="text-xs font-medium text-muted">Draft</span>}
      {row.answered_by != null && <AnsweredBy answer={row.answered_by} />}
      {row.answered && row.answered_by == null && (
        <Mark icon={<ReplyIcon className="size-3.5" />} name="Answered" />
      )}
      {row.has_file && <Mark icon={<ClipIcon className="size-3.5" />} name="Has attachments" />}
    </span>
  );
}

function When({ row, id, className }: RowProps & { id: string; className?: string }) {
  return (
    <time
      id={id}
      dateTime={row.newest_at}
      title={local.exact(row.newest_at)}
      className={classes(
        'shrink-0 text-xs',
        row.unread > 0 ? 'font-semibold text-text' : 'text-muted',
        className,
      )}
    >
      {shortDate(row.newest_at)}
    </time>
  );
}
