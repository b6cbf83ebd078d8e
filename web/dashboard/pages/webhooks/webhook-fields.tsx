import type { CreateWebhook } from '../../../../src/contract/webhooks.ts';
import { Checkbox, Field, Input } from '../../../ui/field.tsx';

type EventKey = CreateWebhook['events'][number];

/** All event types with their meaning, in the order in which events occur. */
const EVENTS: Readonly<Record<EventKey, string>> = {
  'email.queued': 'Accepted and queued',
  'email.sending': 'Handed to the provider',
  'email.sent': 'Accepted by the provider',
  'email.delivered': 'Accepted by the recipient’s server',
  'email.opened': 'Opened, if opens are tracked',
  'email.clicked': 'A link was clicked, if clicks are tracked',
  'email.bounced': 'Rejected by the recipient’s server, permanently or after all retries',
  'email.complained': 'Reported as spam',
  'email.failed': 'Could not be sent',
};
export const EVENT_KEYS = Object.keys(EVENTS) as EventKey[];

export interface WebhookValues {
  url: string;
  events: readonly EventKey[];
}

/** Errors that the form itself detects, by field. The service validates all other fields. */
export function problemsOf({ url, events }: WebhookValues): Readonly<Record<string, string>> {
  const parsed = URL.parse(url.trim());
  const isUrl = parsed !== null && /^https?:$/.test(parsed.protocol);
  return {
    ...(!isUrl && { url: 'Enter a full URL, such as https://example.com/hooks/mail.' }),
    ...(events.length === 0 && { events: 'Select at least one event.' }),
  };
}

interface WebhookFieldsProps {
  values: WebhookValues;
  onChange(values: WebhookValues): void;
  errors: Readonly<Record<string, string>>;
}

export function WebhookFields({ values, onChange, errors }: WebhookFieldsProps) {
  const { url, events } = values;
  const toggle = (event: EventKey, isOn: boolean) =>
    onChange({ url, events: EVENT_KEYS.filter((each) => (each === event ? isOn : events.includes(each))) });
  const hasAll = events.length === EVENT_KEYS.length;
  return (
    <div className="grid gap-5">
      <Field
        label="URL"
        hint="Must respond to a POST with a 2xx status within 10 seconds."
        error={errors['url']}
      >
        <Input
          type="url"
          inputMode="url"
          autoComplete="off"
          placeholder="https://example.com/hooks/mail"
          value={url}
          onChange={(change) => onChange({ url: change.target.value, events })}
        />
      </Field>
      <fieldset className="grid gap-2.5">
        <legend className="float-left mb-1 w-full">
          <span className="flex items-baseline justify-between gap-2">
            <span className="font-medium">Events</span>
            <button
              type="button"
              className="text-sm font-medium text-accent hover:underline"
              onClick={() => onChange({ url, events: hasAll ? [] : EVENT_KEYS })}
            >
              {hasAll ? 'Select none' : 'Select all'}
            </button>
          </span>
        </legend>
        {errors['events'] !== undefined && <p className="text-sm text-bad">{errors['events']}</p>}
        {EVENT_KEYS.map((event) => (
          <Checkbox
            key={event}
            label={event}
            hint={EVENTS[event]}
            checked={events.includes(event)}
            onChange={(change) => toggle(event, change.target.checked)}
          />
        ))}
      </fieldset>
    </div>
  );
}
