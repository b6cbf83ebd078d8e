import type { ProjectSettings, UpdateProject } from '../../../../src/contract/dashboard/projects.ts';
import { Card } from '../../../ui/card.tsx';
import { Checkbox, Field, Select } from '../../../ui/field.tsx';
import { useChange } from './queries.ts';

const SPAM_LEVELS: readonly (readonly [ProjectSettings['spam_level'], string])[] = [
  ['off', 'Off: nothing is taken for spam'],
  ['low', 'Low: only what is clearly spam'],
  ['medium', 'Medium'],
  ['high', 'High: rather too much than too little'],
];

interface SendingCardProps {
  settings: ProjectSettings;
  mayChange: boolean;
}

/** Settings that are saved as soon as they change. */
export function SendingCard({ settings, mayChange }: SendingCardProps) {
  const change = useChange();
  const shown = change.isPending ? { ...settings, ...change.variables } : settings;
  const isDisabled = !mayChange || change.isPending;
  const box = (name: 'track_opens' | 'track_clicks' | 'smtp_events' | 'mail_directory' | 'link_names') => ({
    checked: shown[name],
    disabled: isDisabled,
    onChange: () => change.mutate({ [name]: !settings[name] } satisfies UpdateProject),
  });
  return (
    <>
      <Card title="Tracking">
        <div className="grid gap-4">
          <p className="max-w-2xl text-pretty text-muted">
            For domains that have no setting of their own. It changes your emails and keeps data about people:
            IP address and user agent of each open and click.
          </p>
          <Checkbox
            {...box('track_opens')}
            label="Tell when an email is opened"
            hint="An image of one pixel at the end of the HTML part. Mail apps that load images by themselves are told apart."
          />
          <Checkbox
            {...box('track_clicks')}
            label="Tell when a link is clicked"
            hint="Links of the HTML part lead through this server. Emails that were sent keep their links."
          />
        </div>
      </Card>
      <Card title="Emails by SMTP">
        <Checkbox
          {...box('smtp_events')}
          label="Tell webhooks of emails that came by SMTP, too"
          hint="Without it they are in the log, and webhooks hear of the emails of the API alone. It holds for what is accepted from now on."
        />
      </Card>
      <Card title="Mailboxes">
        <div className="grid gap-4">
          <Field
            label="Spam level"
            hint="For mailboxes that have none of their own: how readily mail goes to Junk. It holds for mail that comes from now on."
          >
            <Select
              value={shown.spam_level}
              disabled={isDisabled}
              onChange={(event) =>
                change.mutate({ spam_level: event.target.value as ProjectSettings['spam_level'] })
              }
            >
              {SPAM_LEVELS.map(([level, name]) => (
                <option key={level} value={level}>
                  {name}
                </option>
              ))}
            </Select>
          </Field>
          <Checkbox
            {...box('mail_directory')}
            label="Offer the directory to who writes"
            hint="The web client completes addresses from it. Without it, from the people that a mailbox has written to."
          />
          <Checkbox
            {...box('link_names')}
            label="Show the names of files in links"
            hint="To everybody who sees this project, under File links. Without it only the owner of the mailbox knows what a link is to."
          />
        </div>
      </Card>
    </>
  );
}
