import type { ProjectSettings, UpdateProject } from '../../../../src/contract/dashboard/projects.ts';
import { Card } from '../../../ui/card.tsx';
import { Checkbox, Field, Select } from '../../../ui/field.tsx';
import { useChange } from './queries.ts';

const SPAM_LEVELS: readonly (readonly [ProjectSettings['spam_level'], string])[] = [
  ['off', 'Off: no spam filtering'],
  ['low', 'Low: only obvious spam'],
  ['medium', 'Medium'],
  ['high', 'High: strict, may catch legitimate mail'],
];

interface SendingCardProps {
  settings: ProjectSettings;
  mayChange: boolean;
}

/** Sending settings. Each setting is saved as soon as it changes. */
export function SendingCard({ settings, mayChange }: SendingCardProps) {
  const change = useChange();
  const shown = change.isPending ? { ...settings, ...change.variables } : settings;
  const isDisabled = !mayChange || change.isPending;
  const box = (
    name: 'track_opens' | 'track_clicks' | 'smtp_tracking' | 'smtp_events' | 'mail_directory' | 'link_names',
  ) => ({
    checked: shown[name],
    disabled: isDisabled,
    onChange: () => change.mutate({ [name]: !settings[name] } satisfies UpdateProject),
  });
  return (
    <>
      <Card title="Tracking">
        <div className="grid gap-4">
          <p className="max-w-2xl text-pretty text-muted">
            Applies to domains that have no setting of their own. Tracking modifies your emails and stores
            personal data: the IP address and user agent of each open and click.
          </p>
          <Checkbox
            {...box('track_opens')}
            label="Track opens"
            hint="Adds a one-pixel image to the end of the HTML. Opens that identify themselves as automatic, such as those of Apple’s Mail Privacy Protection, are counted separately."
          />
          <Checkbox
            {...box('track_clicks')}
            label="Track clicks"
            hint="Links in the HTML redirect through this server. Links in emails already sent do not change."
          />
        </div>
      </Card>
      <Card title="Emails submitted over SMTP">
        <div className="grid gap-4">
          <Checkbox
            {...box('smtp_tracking')}
            label="Also track opens and clicks of emails submitted over SMTP"
            hint="When off, messages submitted over SMTP are sent unchanged. Applies to emails accepted from now on."
          />
          <Checkbox
            {...box('smtp_events')}
            label="Also send webhook events for emails submitted over SMTP"
            hint="When off, only emails submitted through the API trigger webhook events. Applies to emails accepted from now on."
          />
        </div>
      </Card>
      <Card title="Mailboxes">
        <div className="grid gap-4">
          <Field
            label="Spam level"
            hint="How strictly mail is filtered into Junk, for mailboxes without their own level. Applies to mail received from now on."
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
            label="Suggest directory contacts when composing"
            hint="When off, the web client suggests only people that the mailbox has written to."
          />
          <Checkbox
            {...box('link_names')}
            label="Show file names of file links"
            hint="Everyone with access to this project sees them under File links. When off, only the owner of the mailbox does."
          />
        </div>
      </Card>
    </>
  );
}
