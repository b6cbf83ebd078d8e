import { useState } from 'react';
import type { Alert, CreateAlert } from '../../../../../src/contract/dashboard/alerts.ts';
import { Button } from '../../../../ui/button.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { Checkbox, Field, Input, Select } from '../../../../ui/field.tsx';
import { useSession } from '../../../shell/session.ts';
import { CHANNELS, kindsOf } from './kinds.ts';
import type { Scope } from './queries.ts';

export type AlertSettings = Pick<
  CreateAlert,
  'kinds' | 'quiet_hours' | 'time_zone' | 'urgent_always' | 'digest'
>;
type Target = Pick<CreateAlert, 'channel' | 'url'>;

const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const NIGHT = { from: '22:00', until: '07:00' };
const TARGETS: readonly Target['channel'][] = ['email', 'slack', 'webhook'];
const URL_EXAMPLES = {
  slack: 'https://hooks.slack.com/services/…',
  webhook: 'https://example.com/hooks/alerts',
} as const;

interface AlertFormProps {
  scope: Scope;
  /** Null: a new alert. */
  alert: Alert | null;
  errors: Readonly<Record<string, string>>;
  isBusy: boolean;
  onSave(settings: AlertSettings, target: Target): void;
  onClose(): void;
}

/** Adds an alert, or changes its settings. The URL of an alert is a secret and cannot be changed. */
export function AlertForm({ scope, alert, errors, isBusy, onSave, onClose }: AlertFormProps) {
  const [target, setTarget] = useState({ channel: 'email' as Target['channel'], url: '' });
  const [settings, setSettings] = useState<AlertSettings>(
    alert === null
      ? { kinds: [], quiet_hours: null, time_zone: OWN_ZONE, urgent_always: true, digest: false }
      : { ...alert, kinds: alert.kinds as AlertSettings['kinds'] },
  );
  const [isFiltered, setIsFiltered] = useState(settings.kinds.length > 0);
  const [problem, setProblem] = useState<string | null>(null);
  const set = (changed: Partial<AlertSettings>) => setSettings({ ...settings, ...changed });
  const submit = () => {
    const isEmpty = isFiltered && settings.kinds.length === 0;
    setProblem(isEmpty ? 'Select at least one problem.' : null);
    const { kinds, quiet_hours, time_zone, urgent_always, digest = false } = settings;
    const saved = { kinds: isFiltered ? kinds : [], quiet_hours, time_zone, urgent_always };
    const { channel, url } = target;
    const all = scope === null ? saved : { ...saved, digest };
    if (!isEmpty) onSave(all, channel === 'email' ? { channel } : { channel, url: url.trim() });
  };
  return (
    <Dialog
      isOpen
      isBusy={isBusy}
      onClose={onClose}
      onSubmit={submit}
      title={alert === null ? 'Add alert' : 'Edit alert'}
      description={
        alert === null
          ? 'You are notified when a problem has lasted a minute, when it gets worse, and when it is resolved.'
          : [CHANNELS[alert.channel], alert.host].filter(Boolean).join(' · ')
      }
      actions={
        <>
          <Button disabled={isBusy} onClick={onClose}>
            Cancel
          </Button>
          <Button kind="primary" type="submit" isBusy={isBusy}>
            {alert === null ? 'Add' : 'Save'}
          </Button>
        </>
      }
    >
      <div className="grid gap-5">
        {alert === null && <TargetFields target={target} errors={errors} onChange={setTarget} />}
        <fieldset className="grid gap-2.5">
          <legend className="mb-1 font-medium">Problems</legend>
          <Checkbox
            isRadio
            name="problems"
            label="All problems"
            checked={!isFiltered}
            onChange={() => setIsFiltered(false)}
          />
          <Checkbox
            isRadio
            name="problems"
            label="Only these"
            checked={isFiltered}
            onChange={() => setIsFiltered(true)}
          />
          {problem !== null && (
            <p role="alert" className="text-sm text-bad">
              {problem}
            </p>
          )}
          {isFiltered && <Kinds scope={scope} settings={settings} onChange={set} />}
        </fieldset>
        {scope !== null && (
          <Checkbox
            label="Weekly digest"
            hint={`The numbers of the week and open problems, on Mondays at 08:00 (${settings.time_zone}).`}
            checked={settings.digest === true}
            onChange={(event) => set({ digest: event.target.checked })}
          />
        )}
        <TimeFields settings={settings} errors={errors} onChange={set} />
      </div>
    </Dialog>
  );
}

interface TargetFieldsProps {
  target: Required<Target>;
  errors: Readonly<Record<string, string>>;
  onChange(target: Required<Target>): void;
}

function TargetFields({ target, errors, onChange }: TargetFieldsProps) {
  const { user } = useSession();
  const { channel } = target;
  return (
    <>
      <Field
        label="Send to"
        hint={channel === 'email' ? `Your own address, ${user.email}.` : undefined}
        error={errors['channel']}
      >
        <Select
          value={channel}
          onChange={(event) => onChange({ ...target, channel: event.target.value as Target['channel'] })}
        >
          {TARGETS.map((each) => (
            <option key={each} value={each}>
              {CHANNELS[each]}
            </option>
          ))}
        </Select>
      </Field>
      {channel !== 'email' && (
        <Field
          label="URL"
          hint={
            channel === 'slack'
              ? 'The URL of an incoming webhook in Slack, Mattermost or another chat that accepts this format.'
              : 'Receives JSON, signed like webhook events. You see the secret after this step.'
          }
          error={errors['url']}
        >
          <Input
            type="url"
            inputMode="url"
            autoComplete="off"
            required
            placeholder={URL_EXAMPLES[channel]}
            value={target.url}
            onChange={(event) => onChange({ ...target, url: event.target.value })}
          />
        </Field>
      )}
    </>
  );
}

interface SettingsProps {
  settings: AlertSettings;
  onChange(changed: Partial<AlertSettings>): void;
}

function Kinds({ scope, settings, onChange }: SettingsProps & { scope: Scope }) {
  const chosen = new Set<string>(settings.kinds);
  const toggle = (kind: string) => {
    const next = new Set(chosen);
    if (!next.delete(kind)) next.add(kind);
    onChange({ kinds: [...next] as AlertSettings['kinds'] });
  };
  return (
    <div className="grid gap-2.5 pl-6.5">
      {kindsOf(scope).map(([kind, name]) => (
        <Checkbox key={kind} label={name} checked={chosen.has(kind)} onChange={() => toggle(kind)} />
      ))}
    </div>
  );
}

function TimeFields({
  settings: { quiet_hours: quiet, time_zone: zone, urgent_always: urgent, digest },
  errors,
  onChange,
}: SettingsProps & { errors: Readonly<Record<string, string>> }) {
  const hour = (name: 'from' | 'until', label: string) =>
    quiet !== null && (
      <Field label={label} error={name === 'from' ? errors['quiet_hours'] : undefined}>
        <Input
          type="time"
          required
          value={quiet[name]}
          onChange={(event) => onChange({ quiet_hours: { ...quiet, [name]: event.target.value } })}
        />
      </Field>
    );
  return (
    <div className="grid gap-4">
      <Checkbox
        label="Quiet hours"
        hint="Problems that still exist afterwards are reported then, in one message."
        checked={quiet !== null}
        onChange={(event) => onChange({ quiet_hours: event.target.checked ? NIGHT : null })}
      />
      {quiet !== null && (
        <div className="grid gap-4 pl-6.5">
          <div className="grid grid-cols-2 gap-4">
            {hour('from', 'From')}
            {hour('until', 'Until')}
          </div>
          <Checkbox
            label="Also during quiet hours: mail stopped"
            checked={urgent}
            onChange={(event) => onChange({ urgent_always: event.target.checked })}
          />
        </div>
      )}
      {(quiet !== null || digest === true) && (
        <Field label="Time zone" error={errors['time_zone']}>
          <Select value={zone} onChange={(event) => onChange({ time_zone: event.target.value })}>
            {[...new Set([zone, OWN_ZONE, ...Intl.supportedValuesOf('timeZone')])].map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        </Field>
      )}
    </div>
  );
}
