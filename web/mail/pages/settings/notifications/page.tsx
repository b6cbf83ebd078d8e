import { useState } from 'react';
import { Card } from '../../../../ui/card.tsx';
import { classes } from '../../../../ui/classes.ts';
import { Checkbox } from '../../../../ui/field.tsx';
import { PageHeader } from '../../../../ui/page-header.tsx';
import { useWatched } from '../../../../ui/watched.ts';
import { deviceSettings, type Notify, notifyOf, setNotify } from '../../../shell/device-settings.ts';
import { canNotify, NEEDS_COPY } from '../../../notify/notify.ts';
import { useMailbox } from '../../../shell/session.ts';

const CHOICES: readonly { value: Notify; label: string; hint?: string }[] = [
  { value: 'off', label: 'Off' },
  {
    value: 'bare',
    label: 'New mail, without details',
    hint: 'Hides names and subjects, for screens that others can see.',
  },
  { value: 'content', label: 'New mail, with sender and subject' },
];

const NOT_ALLOWED =
  'Your browser blocks notifications from this site. To turn them on, allow them in the site settings of your browser, then choose an option above.';

export default function NotificationsPage() {
  const { mailbox } = useMailbox();
  useWatched(deviceSettings);
  const [refused, setRefused] = useState<string | null>(null);
  const canNotify = 'Notification' in window;
  const problem = canNotify
    ? (refused ?? (Notification.permission === 'denied' ? NOT_ALLOWED : null))
    : 'This browser does not support notifications.';
  // While the setting is Off, nothing is wrong until the user tries to change it.
  const isFailure = refused !== null || notifyOf(mailbox) !== 'off';
  const choose = async (notify: Notify) => {
    const why = notify === 'off' ? null : await whyNot();
    setRefused(why);
    if (why === null) setNotify(mailbox, notify);
  };
  return (
    <>
      <PageHeader
        title="Notifications"
        description="Get notified of new mail in the Inbox while this mailbox is open in a background tab. This setting applies only to this browser."
      />
      <Card title="New mail">
        <div className="grid gap-2.5">
          {CHOICES.map(({ value, label, hint }) => (
            <Checkbox
              key={value}
              isRadio
              name="notify"
              label={label}
              hint={hint}
              disabled={!canNotify && value !== 'off'}
              checked={notifyOf(mailbox) === value}
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
      </Card>
      <p className="mt-4 text-sm text-muted">
        The browser tab always shows the number of unread messages in its title and icon.
      </p>
    </>
  );
}

/** The reason why notifications are not possible; null if they are. Asks for permission only after the user's choice. */
async function whyNot(): Promise<string | null> {
  if (Notification.permission === 'default' && !(await canNotify())) return NEEDS_COPY;
  return (await Notification.requestPermission()) === 'granted' ? null : NOT_ALLOWED;
}
