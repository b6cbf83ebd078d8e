import { Link } from '@tanstack/react-router';
import type { LoggedEmail } from '../../../../src/contract/dashboard/email-log.ts';
import { Badge, Status } from '../../../ui/badge.tsx';
import { classes } from '../../../ui/classes.ts';
import { Copy } from '../../../ui/copy.tsx';
import { rowLink } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { isLater } from './is-later.ts';

/** Row heights in pixels: three lines on phones, one line elsewhere. */
export const NARROW_HEIGHT = 84;
export const WIDE_HEIGHT = 44;
export const EMAIL_ROW_CLASS =
  'grid h-21 content-center items-center gap-x-3 gap-y-0.5 border-b border-line px-2 grid-cols-[auto_1fr] sm:h-11 sm:grid-cols-[7rem_minmax(0,1fr)_minmax(0,1.4fr)_7rem]';

/** One email of the list. A click anywhere on the row opens the email. */
export function EmailRow({ email }: { email: LoggedEmail }) {
  const { id, status, subject, to, tags, created_at, scheduled_at } = email;
  const waits = isLater(email);
  const [first = '', ...others] = to;
  return (
    <div
      className={classes(
        EMAIL_ROW_CLASS,
        'group relative transition-colors duration-75 focus-within:bg-hover hover:bg-hover',
      )}
    >
      <span>
        <Status value={waits ? 'scheduled' : status} />
      </span>
      <span className="order-3 col-span-2 truncate sm:order-none sm:col-span-1" title={to.join(', ')}>
        {first}
        {others.length > 0 && <span className="text-muted"> +{others.length}</span>}
      </span>
      <span className="order-4 col-span-2 flex min-w-0 items-center gap-2 sm:order-none sm:col-span-1">
        <Link
          to="/emails/$id"
          params={{ id }}
          preload={false}
          className={classes(rowLink, 'min-w-0 truncate', subject === '' && 'text-muted')}
        >
          {subject === '' ? 'No subject' : subject}
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
      <span className="flex items-center justify-end gap-1 text-muted">
        <Time value={waits ? (scheduled_at ?? created_at) : created_at} />
        <Copy
          text={id}
          what="the id"
          className="-my-1 z-1 opacity-100 sm:opacity-0 sm:group-focus-within:opacity-100 sm:group-hover:opacity-100"
        />
      </span>
    </div>
  );
}
