import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, linkOptions } from '@tanstack/react-router';
import { useState } from 'react';
import type { Need } from '../../../../src/contract/dashboard/overview.ts';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { classes } from '../../../ui/classes.ts';
import { CheckIcon, ChevronRightIcon, WarningIcon } from '../../../ui/icons.tsx';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import { Since } from '../../../ui/time.tsx';
import { local } from '../../../ui/times.ts';
import { useProject, useSession } from '../../shell/session.ts';
import { TONE_TEXTS } from './rates.ts';

/** The link to the page where the user can fix a problem, or see the emails; null if only an operator can fix it. */
function linkOf({ kind, id, query }: Need, isOperator: boolean) {
  const params = { id: id ?? '' };
  switch (kind) {
    case 'stopped':
    case 'delayed':
      return isOperator
        ? linkOptions({ to: '/system', search: { part: kind === 'stopped' ? 'processes' : 'queue' } })
        : linkOptions({ to: '/emails', search: { q: 'status:queued' } });
    case 'bounces':
    case 'complaints':
      return linkOptions({ to: '/emails', search: { q: query ?? '' } });
    case 'domain':
      return linkOptions({ to: '/domains/$id', params });
    case 'webhook':
      return linkOptions({ to: '/webhooks/$id', params });
    case 'route':
      return linkOptions({ to: '/routes/$id', params });
    case 'mailbox':
      return linkOptions({ to: '/mailboxes/$id', params });
    case 'plan':
      return linkOptions({ to: '/usage' });
    case 'api-key':
      return linkOptions({ to: '/api-keys' });
    case 'paused':
      return isOperator ? linkOptions({ to: '/system', search: { part: 'queue' } }) : null;
  }
}

/** Problems in order of danger, each with a link to the page that fixes it. Those that the user has hidden come last, on demand. */
export function Needs({ needs }: { needs: readonly Need[] }) {
  const [showsSnoozed, setShowsSnoozed] = useState(false);
  const shown = needs.filter(({ snoozed_until }) => snoozed_until === null);
  const snoozed = needs.filter(({ snoozed_until }) => snoozed_until !== null);
  const snoozes = snoozed.length > 0 && (
    <button
      type="button"
      aria-expanded={showsSnoozed}
      onClick={() => setShowsSnoozed(!showsSnoozed)}
      className="text-sm text-muted underline hover:text-text"
    >
      {showsSnoozed ? 'Hide' : 'Show'} {snoozed.length} snoozed
    </button>
  );
  const links = (
    <span className="flex flex-wrap items-center gap-3">
      {snoozes}
      <Link
        to="/settings"
        search={{ tab: 'alerts' }}
        className="text-sm text-muted underline hover:text-text"
      >
        Get alerts
      </Link>
    </span>
  );
  if (shown.length === 0 && !showsSnoozed)
    return (
      <p className="flex flex-wrap items-center gap-2 text-muted">
        <CheckIcon className="text-good" /> Nothing needs attention. {links}
      </p>
    );
  return (
    <Card title="Needs attention" aside={links}>
      <ul className="-mx-2 -mb-2">
        {[...shown, ...(showsSnoozed ? snoozed : [])].map((need) => (
          <NeedItem key={need.key} need={need} />
        ))}
      </ul>
    </Card>
  );
}

function NeedItem({ need }: { need: Need }) {
  const { user } = useSession();
  const link = linkOf(need, user.is_operator);
  const { severity, tone, text, since, snoozed_until } = need;
  return (
    <li
      className={classes(
        'relative flex min-h-10 items-center gap-2.5 rounded-md px-2',
        link !== null && 'hover:bg-hover',
      )}
    >
      <WarningIcon className={snoozed_until === null ? TONE_TEXTS[tone] : 'text-faint'} />
      <span className="min-w-0 grow py-2 wrap-anywhere">
        {link === null ? (
          text
        ) : (
          <Link {...link} className="after:absolute after:inset-0">
            {text}
          </Link>
        )}
        {since !== null && (
          <span className="ml-2 text-sm text-muted">
            Since <Since value={since} />
          </span>
        )}
      </span>
      {severity > 1 && <Snooze need={need} />}
      {link !== null && <ChevronRightIcon className="text-faint max-sm:hidden" />}
    </li>
  );
}

const DAYS = [
  { days: 1, label: 'For a day' },
  { days: 7, label: 'For a week' },
  { days: 30, label: 'For 30 days' },
] as const;

/** Hides the problem from this user for a while, or shows it again. */
function Snooze({ need: { key, level, text, snoozed_until } }: { need: Need }) {
  const project = useProject().id;
  const queries = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: (days: number) =>
      dataOf(
        api.PUT('/projects/{project}/snoozes', {
          params: { path: { project } },
          body: { key, level, days },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['overview', project] }),
  });
  const className = 'relative shrink-0';
  if (snoozed_until !== null)
    return (
      <span className={classes(className, 'flex items-center gap-2 text-sm text-muted')}>
        <span className="max-sm:sr-only">Snoozed until {local.date(snoozed_until)}</span>
        <Button kind="quiet" isBusy={isPending} onClick={() => mutate(0)}>
          Show again
        </Button>
      </span>
    );
  return (
    <span className={className}>
      <Menu
        trigger={
          <Button kind="quiet" isBusy={isPending} aria-label={`Snooze: ${text}`}>
            Snooze
          </Button>
        }
      >
        {DAYS.map(({ days, label }) => (
          <MenuItem key={days} onClick={() => mutate(days)}>
            {label}
          </MenuItem>
        ))}
      </Menu>
    </span>
  );
}
