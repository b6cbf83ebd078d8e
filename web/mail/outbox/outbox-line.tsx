import { Link } from '@tanstack/react-router';
import { classes } from '../../ui/classes.ts';
import { useWatched } from '../../ui/watched.ts';
import { Count, LINE, ROLE_ICONS } from '../reading/folder-list.tsx';
import { deviceSettings, queuedOf } from '../shell/device-settings.ts';
import { useMailbox } from '../shell/session.ts';

/** The link to the Outbox, shown if it has messages. */
export function OutboxLine({ onChoose }: { onChoose: (() => void) | undefined }) {
  const { own, ownAddress: address } = useMailbox();
  useWatched(deviceSettings);
  const { sends } = queuedOf(own);
  if (sends === 0) return null;
  const Icon = ROLE_ICONS.sent;
  return (
    <li>
      <Link
        to="/$address/outbox"
        params={{ address }}
        onClick={onChoose}
        className={classes(LINE, 'ps-2.5 font-medium text-muted')}
      >
        <Icon />
        <span className="min-w-0 flex-1 truncate">Outbox</span>
        <Count count={sends} isBold={false} of="waiting" />
      </Link>
    </li>
  );
}
