import { Link, linkOptions } from '@tanstack/react-router';
import type { Need } from '../../../../src/contract/dashboard/overview.ts';
import { Card } from '../../../ui/card.tsx';
import { classes } from '../../../ui/classes.ts';
import { CheckIcon, ChevronRightIcon, WarningIcon } from '../../../ui/icons.tsx';
import { useSession } from '../../shell/session.ts';
import { TONE_TEXTS } from './rates.ts';

/** The link to the page where the user can fix a problem; null if only an operator can fix the problem. */
function linkOf({ kind, id }: Need, isOperator: boolean) {
  const params = { id: id ?? '' };
  switch (kind) {
    case 'domain':
      return linkOptions({ to: '/domains/$id', params });
    case 'webhook':
      return linkOptions({ to: '/webhooks/$id', params });
    case 'mailbox':
      return linkOptions({ to: '/mailboxes/$id', params });
    case 'plan':
      return linkOptions({ to: '/usage' });
    case 'api-key':
      return linkOptions({ to: '/api-keys' });
    case 'paused':
      return isOperator ? linkOptions({ to: '/system' }) : null;
  }
}

/** Problems that need attention, each with a link to the page that fixes it. */
export function Needs({ needs }: { needs: readonly Need[] }) {
  const { user } = useSession();
  if (needs.length === 0)
    return (
      <p className="flex items-center gap-2 text-muted">
        <CheckIcon className="text-good" /> Nothing needs attention.
      </p>
    );
  return (
    <Card title="Needs attention">
      <ul className="-mx-2 -mb-2">
        {needs.map((need) => {
          const link = linkOf(need, user.is_operator);
          return (
            <li
              key={`${need.kind} ${need.id} ${need.text}`}
              className={classes(
                'relative flex min-h-10 items-center gap-2.5 rounded-md px-2',
                link !== null && 'hover:bg-hover',
              )}
            >
              <WarningIcon className={TONE_TEXTS[need.tone]} />
              <span className="min-w-0 grow py-2 wrap-anywhere">
                {link === null ? (
                  need.text
                ) : (
                  <Link {...link} className="after:absolute after:inset-0">
                    {need.text}
                  </Link>
                )}
              </span>
              {link !== null && <ChevronRightIcon className="text-faint" />}
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
