import type { DashboardWebhook } from '../../../../src/contract/dashboard/webhooks.ts';
import { Status } from '../../../ui/badge.tsx';

type State = Pick<DashboardWebhook, 'enabled' | 'disabled_reason' | 'failing_since'>;

/** Whether the webhook currently receives events. */
export function WebhookState({ enabled, disabled_reason, failing_since }: State) {
  if (!enabled) {
    return disabled_reason === 'failing' ? <Status value="disabled" tone="bad" /> : <Status value="paused" />;
  }
  return failing_since === null ? <Status value="active" /> : <Status value="failing" tone="bad" />;
}
