import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { dataOf, fieldErrors } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { DashboardWebhookDetail } from '../../../../src/contract/dashboard/webhooks.ts';
import type { UpdateWebhook } from '../../../../src/contract/webhooks.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { AlertDialog, Dialog } from '../../../ui/dialog.tsx';
import { ChevronLeftIcon, MoreIcon, PauseIcon, PlayIcon, TrashIcon } from '../../../ui/icons.tsx';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import { backLink, PageHeader } from '../../../ui/page-header.tsx';
import { toast } from '../../../ui/toast.tsx';
import { useMay } from '../../shell/session.ts';
import { allOfWebhook, allWebhooks, type WebhookRouteKey } from '../webhooks/queries.ts';
import { EVENT_KEYS, problemsOf, WebhookFields, type WebhookValues } from '../webhooks/webhook-fields.tsx';
import { WebhookState } from '../webhooks/webhook-state.tsx';
import { counted } from './counted.ts';

export const BACK = (
  <Link to="/webhooks" className={backLink}>
    <ChevronLeftIcon />
    Webhooks
  </Link>
);

interface HeadProps {
  of: WebhookRouteKey;
  webhook: DashboardWebhookDetail;
  onTest(): void;
  isTesting: boolean;
}

export function WebhookHead({ of: key, webhook, onTest, isTesting }: HeadProps) {
  const mayChange = useMay('developer');
  const [isOpen, setOpen] = useState<'edit' | 'pause' | 'delete' | null>(null);
  const close = () => setOpen(null);
  const update = useUpdate(key);
  const { url, events, enabled, waiting } = webhook;
  const resume = () => update.mutate({ enabled: true }, { onSuccess: () => toast('Webhook resumed') });
  const pause = () => update.mutate({ enabled: false }, { onSuccess: close });
  return (
    <>
      <PageHeader
        back={BACK}
        title={url}
        status={<WebhookState {...webhook} />}
        description={events.length === EVENT_KEYS.length ? 'All events' : events.join(', ')}
        actions={
          mayChange && (
            <>
              <Menu
                trigger={
                  <IconButton label="More" kind="secondary">
                    <MoreIcon />
                  </IconButton>
                }
              >
                <MenuItem icon={<TrashIcon />} isDanger onClick={() => setOpen('delete')}>
                  Delete webhook
                </MenuItem>
              </Menu>
              {enabled ? (
                <Button icon={<PauseIcon />} onClick={() => setOpen('pause')}>
                  Pause
                </Button>
              ) : (
                <Button icon={<PlayIcon />} isBusy={update.isPending} onClick={resume}>
                  Resume
                </Button>
              )}
              <Button onClick={() => setOpen('edit')}>Edit</Button>
              <Button kind="primary" isBusy={isTesting} onClick={onTest}>
                Send test
              </Button>
            </>
          )
        }
      />
      {isOpen === 'edit' && <EditWebhook of={key} webhook={webhook} onClose={close} />}
      <AlertDialog
        isOpen={isOpen === 'pause'}
        onClose={close}
        title="Pause this webhook?"
        action="Pause"
        isBusy={update.isPending}
        onConfirm={pause}
      >
        <p>
          {waiting.count > 0 &&
            `${counted(waiting, 'pending delivery will fail', 'pending deliveries will fail')}. `}
          Events that occur while the webhook is paused will not be sent later.
        </p>
        <p>You can replay failed deliveries after resuming.</p>
      </AlertDialog>
      <DeleteWebhook of={key} webhook={webhook} isOpen={isOpen === 'delete'} onClose={close} />
    </>
  );
}

function useUpdate(key: WebhookRouteKey) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: UpdateWebhook) =>
      dataOf(api.PATCH('/projects/{project}/webhooks/{id}', { params: { path: { ...key } }, body })),
    onSuccess: () => queries.invalidateQueries({ queryKey: allWebhooks(key.project) }),
  });
}

interface PartProps {
  of: WebhookRouteKey;
  webhook: DashboardWebhookDetail;
  onClose(): void;
}

function EditWebhook({ of: key, webhook, onClose }: PartProps) {
  const [values, setValues] = useState<WebhookValues>({ url: webhook.url, events: webhook.events });
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const update = useUpdate(key);
  const save = () => {
    const found = problemsOf(values);
    setProblems(found);
    if (Object.keys(found).length > 0) return;
    update.mutate({ url: values.url.trim(), events: [...values.events] }, { onSuccess: onClose });
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={save}
      title="Edit webhook"
      description="Pending deliveries are sent to the new URL. The secret stays the same."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={update.isPending}>
            Save
          </Button>
        </>
      }
    >
      <WebhookFields
        values={values}
        onChange={setValues}
        errors={{ ...fieldErrors(update.error), ...problems }}
      />
    </Dialog>
  );
}

function DeleteWebhook({ of: key, webhook, isOpen, onClose }: PartProps & { isOpen: boolean }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () =>
      dataOf(api.DELETE('/projects/{project}/webhooks/{id}', { params: { path: { ...key } } })),
    async onSuccess() {
      await navigate({ to: '/webhooks' });
      queries.removeQueries({ queryKey: allOfWebhook(key) });
      await queries.invalidateQueries({ queryKey: allWebhooks(key.project) });
      toast('Webhook deleted');
    },
  });
  const { waiting } = webhook;
  return (
    <AlertDialog
      isOpen={isOpen}
      onClose={onClose}
      title="Delete this webhook?"
      action="Delete"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      <p>
        Its delivery log and secret will be permanently deleted
        {waiting.count > 0 &&
          `, and ${counted(waiting, 'pending delivery', 'pending deliveries')} will not be sent`}
        .
      </p>
      <p className="wrap-anywhere">{webhook.url} will receive no more events. Emails are not affected.</p>
    </AlertDialog>
  );
}
