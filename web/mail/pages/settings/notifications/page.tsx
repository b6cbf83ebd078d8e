import { useState } from 'react';
import { messageOf } from '../../../../api/client.ts';
import { Card } from '../../../../ui/card.tsx';
import { classes } from '../../../../ui/classes.ts';
import { Checkbox } from '../../../../ui/field.tsx';
import { PageHeader } from '../../../../ui/page-header.tsx';
import { useWatched } from '../../../../ui/watched.ts';
import {
  deviceSettings,
  isPushed,
  type Notify,
  notifyOf,
  setNotify,
} from '../../../shell/device-settings.ts';
import { canNotify, NEEDS_COPY } from '../../../notify/notify.ts';
import { canPush, subscribe, unsubscribe } from '../../../push/push.ts';
import { useMailbox } from '../../../shell/session.ts';
import { InstallCard } from './install-card.tsx';
import { PushState } from './push-state.tsx';

const CHOICES: readonly { value: Notify; label: string; hint?: string }[] = [
  { value: 'off', label: 'Off' },
  {
    value: 'bare',
    label: 'New mail, without details',
    hint: 'Hides names and subjects, for screens that others can see, such as a lock screen.',
  },
  { value: 'content', label: 'New mail, with sender and subject' },
];

const NOT_ALLOWED =
  'Your browser blocks notifications from this site. To turn them on, allow them in the site settings of your browser, then choose an option above.';
const NEEDS_INSTALL =
  'On iPhone and iPad, only installed apps can show notifications. In Safari, select Share, then Add to Home Screen. Open Posthorn from the Home Screen, sign in, and come back to this page.';

export default function NotificationsPage() {
  const { mailbox } = useMailbox();
  useWatched(deviceSettings);
  const [refused, setRefused] = useState<string | null>(null);
  const [isChanging, setIsChanging] = useState(false);
  const notify = notifyOf(mailbox);
  const hasNotifications = 'Notification' in window;
  const problem = hasNotifications
    ? (refused ?? (Notification.permission === 'denied' ? NOT_ALLOWED : null))
    : isApplePhone()
      ? NEEDS_INSTALL
      : 'This browser does not support notifications.';
  // While the setting is Off, nothing is wrong until the user tries to change it.
  const isFailure = refused !== null || (notify !== 'off' && problem !== null);
  const choose = async (next: Notify) => {
    const why = next === 'off' ? null : await whyNot();
    setRefused(why);
    if (why !== null) return;
    setIsChanging(true);
    try {
      if (next === 'off') await unsubscribe(mailbox);
      setNotify(mailbox, next);
      // Without a subscription, notifications appear while a tab is open, and the card says so.
      if (next !== 'off' && canPush()) await subscribe(mailbox, next).catch(() => undefined);
    } catch (error) {
      setRefused(messageOf(error));
    }
    setIsChanging(false);
  };
  return (
    <>
      <PageHeader
        title="Notifications"
        description="Get notified of new mail in the Inbox. These settings apply only to this browser."
      />
      <div className="grid gap-4">
        <Card title="New mail">
          <div className="grid gap-2.5">
            {CHOICES.map(({ value, label, hint }) => (
              <Checkbox
                key={value}
                isRadio
                name="notify"
                label={label}
                hint={hint}
                disabled={!hasNotifications && value !== 'off'}
                checked={notify === value}
                onChange={() => void choose(value)}
              />
            ))}
          </div>
          {problem !== null && (
            <p
              role={isFailure ? 'alert' : undefined}
              className={classes('mt-3', isFailure ? 'text-bad' : 'text-muted')}
            >
              {problem}
            </p>
          )}
          {notify !== 'off' && problem === null && !isChanging && (
            <PushState mailbox={mailbox} isPushed={isPushed(mailbox)} onRetry={() => void choose(notify)} />
          )}
        </Card>
        <InstallCard />
      </div>
      <p className="mt-4 text-sm text-muted">
        The browser tab always shows the number of unread messages in its title and icon.
      </p>
    </>
  );
}

/** The reason why notifications are not possible; null if they are. Asks for permission only after the user's choice. */
async function whyNot(): Promise<string | null> {
  if (!canPush() && Notification.permission === 'default' && !(await canNotify())) return NEEDS_COPY;
  return (await Notification.requestPermission()) === 'granted' ? null : NOT_ALLOWED;
}

/** Whether this is Safari on an iPhone or iPad, outside the installed app. An iPad calls itself a Mac, but has a touch screen. */
function isApplePhone(): boolean {
  return (
    /iPhone|iPad/.test(navigator.userAgent) ||
    (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1)
  );
}
