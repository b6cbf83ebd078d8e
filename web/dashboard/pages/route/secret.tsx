import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { AlertDialog, Dialog } from '../../../ui/dialog.tsx';
import { Checkbox } from '../../../ui/field.tsx';
import type { RouteKey } from '../routes/queries.ts';
import { SecretShown } from '../webhooks/secret-shown.tsx';

export function Secret({ of: key }: { of: RouteKey }) {
  const [isAsking, setAsking] = useState(false);
  const [hasLeaked, setLeaked] = useState(false);
  const rotate = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/projects/{project}/routes/{id}/secret', {
          params: { path: { ...key } },
          body: { overlap_hours: hasLeaked ? 0 : 24 },
        }),
      ),
    onSuccess: () => setAsking(false),
  });
  return (
    <Card title="Secret" className="flex min-w-0 flex-col">
      <p className="text-muted">
        Signs every request in the X-Mail-Signature header, and opens the links of attachments. Replace it if
        it may have leaked.
      </p>
      <div className="mt-auto pt-4">
        <Button onClick={() => setAsking(true)}>Replace secret</Button>
      </div>
      <AlertDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Replace the secret of this route?"
        action="Replace secret"
        isBusy={rotate.isPending}
        onConfirm={() => rotate.mutate()}
      >
        <div className="grid gap-3">
          <p>
            For 24 hours, requests are signed with both secrets, so that you can give your program the new
            one.
          </p>
          <Checkbox
            label="The old secret has leaked: end it at once"
            checked={hasLeaked}
            onChange={(event) => setLeaked(event.target.checked)}
          />
        </div>
      </AlertDialog>
      <Dialog
        isOpen={rotate.data !== undefined}
        isSticky
        onClose={() => rotate.reset()}
        title="Secret replaced"
        actions={
          <Button kind="primary" onClick={() => rotate.reset()}>
            Done
          </Button>
        }
      >
        {rotate.data !== undefined && <SecretShown secret={rotate.data.secret} label="New secret" />}
      </Dialog>
    </Card>
  );
}
