import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { RotateSecret } from '../../../../src/contract/dashboard/webhooks.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Checkbox } from '../../../ui/field.tsx';
import { local } from '../../../ui/times.ts';
import { allOfWebhook, type WebhookRouteKey } from '../webhooks/queries.ts';
import { SecretShown } from '../webhooks/secret-shown.tsx';

type Overlap = RotateSecret['overlap_hours'];

const OVERLAPS: readonly (readonly [hours: Overlap, name: string, hint: string])[] = [
  [
    0,
    'Expire immediately',
    'Choose this if the secret has leaked. Your endpoint will reject deliveries until it has the new one.',
  ],
  [1, '1 hour', 'If you update your endpoint right away.'],
  [24, '24 hours', 'Leaves enough time to update your endpoint without interruption.'],
  [168, '7 days', 'If other people run the endpoint.'],
];

/** Asks how long the old secret stays valid, then shows the new secret. */
export default function RotateDialog({ of: key, onClose }: { of: WebhookRouteKey; onClose(): void }) {
  const [overlap, setOverlap] = useState<Overlap>(24);
  const queries = useQueryClient();
  const rotate = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/projects/{project}/webhooks/{id}/secret', {
          params: { path: { ...key } },
          body: { overlap_hours: overlap },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: allOfWebhook(key) }),
  });
  const { data: rotated } = rotate;
  if (rotated !== undefined) {
    return (
      <Dialog
        isOpen
        isSticky
        onClose={onClose}
        title="New secret"
        description={
          rotated.previous_secret_until === null
            ? 'Deliveries are signed only with this secret from now on. Add it to your endpoint.'
            : `The old secret is valid until ${local.exact(rotated.previous_secret_until)}. Add this one to your endpoint before then.`
        }
        actions={
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        }
      >
        <SecretShown secret={rotated.secret} label="New signing secret" />
      </Dialog>
    );
  }
  return (
    <Dialog
      isOpen
      isBusy={rotate.isPending}
      onClose={onClose}
      onSubmit={() => rotate.mutate()}
      title="Rotate secret"
      description="Creates a new secret, which is shown once. Until the old one expires, deliveries are signed with both."
      actions={
        <>
          <Button disabled={rotate.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button kind="primary" type="submit" isBusy={rotate.isPending}>
            Rotate
          </Button>
        </>
      }
    >
      <fieldset className="grid gap-3">
        <legend className="mb-2 font-medium">Keep the old secret for</legend>
        {OVERLAPS.map(([hours, name, hint]) => (
          <Checkbox
            key={hours}
            isRadio
            name="overlap"
            label={name}
            hint={hint}
            checked={overlap === hours}
            onChange={() => setOverlap(hours)}
          />
        ))}
      </fieldset>
    </Dialog>
  );
}
