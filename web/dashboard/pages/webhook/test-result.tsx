import { useQuery } from '@tanstack/react-query';
import type { DashboardWebhookDetail } from '../../../../src/contract/dashboard/webhooks.ts';
import type { WebhookTest } from '../../../../src/contract/webhooks.ts';
import { number } from '../../../ui/amounts.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { CheckIcon, CloseIcon, WarningIcon } from '../../../ui/icons.tsx';
import { toast } from '../../../ui/toast.tsx';
import { deliveryQuery, type WebhookRouteKey } from '../webhooks/queries.ts';
import { DeliveryLink } from './delivery-link.tsx';
import { explain } from './explain.ts';
import { useRetryPending } from './retry.tsx';

/** The receiver's response to a test event. After a success, pending events can be sent. */
export function TestResult({
  of: key,
  webhook,
  test,
  onClose,
}: {
  of: WebhookRouteKey;
  webhook: DashboardWebhookDetail;
  test: WebhookTest;
  onClose(): void;
}) {
  const { data } = useQuery(deliveryQuery(key, test.delivery_id));
  const retryPending = useRetryPending(key, webhook);
  const { success, http_status } = test;
  const { count, has_more } = webhook.retryable;
  const explanation = data === undefined ? null : explain(data);
  const Icon = success ? CheckIcon : WarningIcon;
  return (
    <div
      role="status"
      className={classes(
        'mb-5 flex items-start gap-2.5 rounded-lg px-4 py-3',
        success ? 'bg-good-soft text-good' : 'bg-bad-soft text-bad',
      )}
    >
      <Icon className="mt-[3px]" />
      <div className="min-w-0 flex-1">
        <p className="font-medium">
          {success ? 'Test succeeded' : 'Test failed'}
          {http_status === null ? ': no response' : `: your endpoint returned ${http_status}`}
          {data?.duration_ms != null && ` in ${data.duration_ms} ms`}
        </p>
        {explanation !== null && (
          <p>
            {explanation.what} {explanation.advice}
          </p>
        )}
        <DeliveryLink id={test.delivery_id} className="underline underline-offset-2">
          Show request and response
        </DeliveryLink>
        {success && retryPending !== null && (
          <div className="mt-2.5">
            <Button
              isBusy={retryPending.isPending}
              onClick={() =>
                retryPending.mutate(undefined, { onSuccess: () => toast('Sending the pending events') })
              }
            >
              {count === 1
                ? 'Send the pending event'
                : `Send the ${number(count)}${has_more ? '+' : ''} pending events`}
            </Button>
          </div>
        )}
      </div>
      <IconButton label="Dismiss" onClick={onClose} className="-my-1 -mr-2 text-current">
        <CloseIcon />
      </IconButton>
    </div>
  );
}
