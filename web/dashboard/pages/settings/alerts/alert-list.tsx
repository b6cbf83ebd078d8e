import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Alert, CreateAlert } from '../../../../../src/contract/dashboard/alerts.ts';
import { fieldErrors } from '../../../../api/client.ts';
import { useChange } from '../../../../api/use-change.ts';
import { NotLoaded } from '../../../../shell/loaded.tsx';
import { Status } from '../../../../ui/badge.tsx';
import { Button, IconButton } from '../../../../ui/button.tsx';
import { Card } from '../../../../ui/card.tsx';
import { AlertDialog, Dialog } from '../../../../ui/dialog.tsx';
import { MoreIcon, PlusIcon } from '../../../../ui/icons.tsx';
import { Menu, MenuItem } from '../../../../ui/menu.tsx';
import { ShownOnce } from '../../../../ui/shown-once.tsx';
import { Since, Time } from '../../../../ui/time.tsx';
import { toast, toastFailure } from '../../../../ui/toast.tsx';
import { AlertForm } from './alert-form.tsx';
import { CHANNELS, kindsOf } from './kinds.ts';
import {
  alertsQuery,
  allAlerts,
  createAlert,
  removeAlert,
  type Scope,
  testAlert,
  updateAlert,
} from './queries.ts';

interface AlertListProps {
  scope: Scope;
  title: string;
  description: string;
}

/** The user's own alerts for a project or for the installation. */
export function AlertList({ scope, title, description }: AlertListProps) {
  const { data, error, refetch } = useQuery(alertsQuery(scope));
  const [isAdding, setIsAdding] = useState(false);
  return (
    <Card
      title={title}
      aside={
        <Button icon={<PlusIcon />} onClick={() => setIsAdding(true)}>
          Add alert
        </Button>
      }
    >
      <p className="max-w-2xl text-pretty text-muted">{description}</p>
      {data === undefined && (
        <NotLoaded title="Could not load the alerts" error={error} refetch={refetch} rows={2} />
      )}
      {data !== undefined && data.data.length > 0 && (
        <ul aria-label={title} className="mt-4 divide-y divide-line border-t border-line">
          {data.data.map((alert) => (
            <AlertItem key={alert.id} scope={scope} alert={alert} />
          ))}
        </ul>
      )}
      {isAdding && <AddAlert scope={scope} onClose={() => setIsAdding(false)} />}
    </Card>
  );
}

function AddAlert({ scope, onClose }: { scope: Scope; onClose(): void }) {
  const create = useChange(allAlerts(scope), (body: CreateAlert) => createAlert(scope, body), null);
  const secret = create.data?.secret ?? null;
  if (create.data !== undefined && secret !== null)
    return (
      <Dialog
        isOpen
        isSticky
        onClose={onClose}
        title="Alert added"
        description="Each message is signed with this secret, so that your endpoint can detect forgeries."
        actions={<Button onClick={onClose}>Done</Button>}
      >
        <ShownOnce label="Signing secret" text={secret} what="the secret">
          You won’t see it again. Store it where your endpoint can read it.
        </ShownOnce>
      </Dialog>
    );
  return (
    <AlertForm
      scope={scope}
      alert={null}
      errors={fieldErrors(create.error)}
      isBusy={create.isPending}
      onSave={(settings, target) =>
        create.mutate(
          { ...target, ...settings },
          {
            onSuccess(created) {
              if (created.secret === null) onClose();
            },
          },
        )
      }
      onClose={onClose}
    />
  );
}

function AlertItem({ scope, alert }: { scope: Scope; alert: Alert }) {
  const [open, setOpen] = useState<'edit' | 'remove' | null>(null);
  const close = () => setOpen(null);
  const name = `${CHANNELS[alert.channel]}${alert.host === null ? '' : ` · ${alert.host}`}`;
  const update = useChange(
    allAlerts(scope),
    (changed: Partial<Alert>) => {
      const { kinds, quiet_hours, time_zone, urgent_always, digest, enabled } = { ...alert, ...changed };
      return updateAlert(scope, alert.id, {
        kinds: kinds as CreateAlert['kinds'],
        quiet_hours,
        time_zone,
        urgent_always,
        ...(scope !== null && { digest }),
        enabled,
      });
    },
    null,
  );
  const remove = useChange(allAlerts(scope), () => removeAlert(scope, alert.id), 'Alert removed');
  return (
    <li className="grid gap-1 py-3">
      <div className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 font-medium wrap-anywhere">{name}</span>
        <State alert={alert} />
        <span className="ml-auto flex items-center gap-1">
          <TestButton scope={scope} alert={alert} name={name} />
          <Menu
            trigger={
              <IconButton label={`More about ${name}`}>
                <MoreIcon />
              </IconButton>
            }
          >
            <MenuItem onClick={() => setOpen('edit')}>Edit</MenuItem>
            <MenuItem onClick={() => update.mutate({ enabled: !alert.enabled })}>
              {alert.enabled ? 'Pause' : 'Resume'}
            </MenuItem>
            <MenuItem isDanger onClick={() => setOpen('remove')}>
              Remove
            </MenuItem>
          </Menu>
        </span>
      </div>
      <p className="text-sm text-muted">
        {summaryOf(scope, alert)} · Last sent <Time value={alert.last_sent_at} never="never" />
      </p>
      {alert.failing_since !== null && (
        <p className="text-sm text-bad wrap-anywhere">
          Failing since <Since value={alert.failing_since} />: {alert.last_error}
        </p>
      )}
      {open === 'edit' && (
        <AlertForm
          scope={scope}
          alert={alert}
          errors={fieldErrors(update.error)}
          isBusy={update.isPending}
          onSave={(settings) => update.mutate(settings, { onSuccess: close })}
          onClose={close}
        />
      )}
      <AlertDialog
        isOpen={open === 'remove'}
        onClose={close}
        title={`Remove the alert ${name}?`}
        action="Remove"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSuccess: close })}
      >
        You are no longer notified there.
      </AlertDialog>
    </li>
  );
}

function State({ alert: { enabled, disabled_reason: reason, failing_since: failing } }: { alert: Alert }) {
  if (!enabled) return reason === null ? <Status value="paused" /> : <Status value="disabled" tone="bad" />;
  return failing === null ? <Status value="active" /> : <Status value="failing" tone="bad" />;
}

function summaryOf(scope: Scope, { kinds, quiet_hours: quiet, time_zone: zone, digest }: Alert): string {
  const names = new Map<string, string>(kindsOf(scope));
  const problems =
    kinds.length === 0 ? 'All problems' : kinds.map((kind) => names.get(kind) ?? kind).join(', ');
  return [
    problems,
    ...(digest ? ['Weekly digest'] : []),
    ...(quiet === null ? [] : [`Quiet from ${quiet.from} until ${quiet.until} (${zone})`]),
  ].join(' · ');
}

function TestButton({ scope, alert, name }: { scope: Scope; alert: Alert; name: string }) {
  const test = useMutation({
    mutationFn: () => testAlert(scope, alert.id),
    onSuccess({ is_delivered: isDelivered, error }) {
      if (isDelivered) toast('Test delivered');
      else toastFailure(`Test not delivered: ${error}`);
    },
  });
  return (
    <Button
      kind="quiet"
      isBusy={test.isPending}
      aria-label={`Send test to ${name}`}
      onClick={() => test.mutate()}
    >
      Send test
    </Button>
  );
}
