import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Suspense, useEffect, useState } from 'react';
import { lazyPart } from '../../../shell/code.ts';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { DashboardWebhookDetail } from '../../../../src/contract/dashboard/webhooks.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { local } from '../../../ui/times.ts';
import { toast } from '../../../ui/toast.tsx';
import { useMay } from '../../shell/session.ts';
import { allOfWebhook, type WebhookRouteKey, webhookQuery } from '../webhooks/queries.ts';

const RotateDialog = lazyPart(() => import('./rotate-dialog.tsx'));

interface SigningSecretProps {
  of: WebhookRouteKey;
  webhook: DashboardWebhookDetail;
}

export function SigningSecret({ of: key, webhook }: SigningSecretProps) {
  const mayChange = useMay('developer');
  const [isRotating, setRotating] = useState(false);
  const until = webhook.previous_secret_until;
  return (
    <Card title="Signing secret" className="flex min-w-0 flex-col">
      {until === null ? (
        <p className="text-muted">
          Used to sign every delivery in the X-Mail-Signature header. Rotate the secret once a year, or if it
          may have leaked.
        </p>
      ) : (
        <Rotation of={key} until={until} mayChange={mayChange} />
      )}
      {mayChange && until === null && (
        <div className="mt-auto pt-4">
          <Button onClick={() => setRotating(true)}>Rotate secret</Button>
        </div>
      )}
      {isRotating && (
        <Suspense fallback={null}>
          <RotateDialog of={key} onClose={() => setRotating(false)} />
        </Suspense>
      )}
    </Card>
  );
}

/** Shown while the secret is being rotated. */
function Rotation({ of: key, until, mayChange }: { of: WebhookRouteKey; until: string; mayChange: boolean }) {
  const [confirming, setConfirming] = useState<'finish' | 'cancel' | null>(null);
  const finish = useEnd(key, 'finish', () => setConfirming(null));
  const cancel = useEnd(key, 'cancel', () => setConfirming(null));
  return (
    <div className="grid gap-3">
      <div>
        <p className="text-xs text-muted">The old secret expires in</p>
        <Countdown of={key} until={until} />
      </div>
      <ol className="grid list-decimal gap-1 pl-5 text-muted">
        <li>
          Make your endpoint accept either header: X-Mail-Signature with the old secret, or
          X-Mail-Signature-Next with the new one.
        </li>
        <li>Add the new secret to your endpoint.</li>
        <li>Finish now, or wait. After that only the new secret signs X-Mail-Signature.</li>
      </ol>
      {mayChange && (
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => setConfirming('cancel')}>Cancel rotation</Button>
          <Button onClick={() => setConfirming('finish')}>Finish now</Button>
        </div>
      )}
      <AlertDialog
        isOpen={confirming === 'finish'}
        onClose={() => setConfirming(null)}
        title="Finish the rotation now?"
        action="Finish now"
        isBusy={finish.isPending}
        onConfirm={() => finish.mutate()}
      >
        <p>
          From now on only the new secret signs. An endpoint that has only the old secret will reject every
          delivery.
        </p>
      </AlertDialog>
      <AlertDialog
        isOpen={confirming === 'cancel'}
        onClose={() => setConfirming(null)}
        title="Cancel the rotation?"
        action="Cancel rotation"
        isBusy={cancel.isPending}
        onConfirm={() => cancel.mutate()}
      >
        <p>The new secret will be discarded, and only the old one stays valid.</p>
      </AlertDialog>
    </div>
  );
}

function useEnd(key: WebhookRouteKey, how: 'finish' | 'cancel', onEnd: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => {
      const params = { params: { path: { ...key } } };
      return dataOf(
        how === 'finish'
          ? api.POST('/projects/{project}/webhooks/{id}/secret/finish', params)
          : api.POST('/projects/{project}/webhooks/{id}/secret/cancel', params),
      );
    },
    onSuccess(webhook) {
      queries.setQueryData(webhookQuery(key).queryKey, webhook);
      onEnd();
      toast(how === 'finish' ? 'Rotation finished' : 'Rotation cancelled');
    },
  });
}

const SECOND_MS = 1_000;

/** The remaining hours, minutes and seconds. Screen readers announce the time only once, not every second. */
function Countdown({ of: { project, id }, until }: { of: WebhookRouteKey; until: string }) {
  const queries = useQueryClient();
  const [left, setLeft] = useState(() => Date.parse(until) - Date.now());
  useEffect(() => {
    const tick = () => {
      const ms = Date.parse(until) - Date.now();
      setLeft(ms);
      if (ms <= 0) void queries.invalidateQueries({ queryKey: allOfWebhook({ project, id }) });
    };
    tick();
    const timer = setInterval(tick, SECOND_MS);
    return () => clearInterval(timer);
  }, [until, queries, project, id]);
  return (
    <p className="text-xl font-semibold tabular-nums" title={local.exact(until)}>
      <span role="timer">{durationOf(left)}</span>
    </p>
  );
}

function durationOf(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / SECOND_MS));
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  const parts = [days > 0 && `${days} d`, `${hours} h`, `${minutes} min`, days === 0 && `${seconds % 60} s`];
  return parts.filter((part) => part !== false).join(' ');
}
