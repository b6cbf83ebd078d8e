import { useMutation } from '@tanstack/react-query';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button } from '../../../ui/button.tsx';
import { Copy } from '../../../ui/copy.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { Time } from '../../../ui/time.tsx';
import type { MemberDialogProps } from './member-dialog.ts';
import { useOrganization } from './queries.ts';

/** Creates a link for setting a new password, for members who cannot get the link by mail. */
export function ResetLinkDialog({ member, onClose }: MemberDialogProps) {
  const { id: organization } = useOrganization();
  const make = useMutation({
    meta: { showsErrors: true },
    mutationFn: () =>
      dataOf(
        api.POST('/organizations/{organization}/users/{id}/reset-link', {
          params: { path: { organization, id: member.user_id } },
        }),
      ),
  });
  const link = make.data;
  return (
    <Dialog
      isOpen
      isBusy={make.isPending}
      onClose={onClose}
      title={`Reset password of ${member.name}`}
      description="Create a link for setting a new password and give it to them yourself. Their second factor is still required."
      onSubmit={() => (link === undefined ? make.mutate() : onClose())}
      actions={
        link === undefined ? (
          <>
            <Button disabled={make.isPending} onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" kind="primary" isBusy={make.isPending}>
              Create link
            </Button>
          </>
        ) : (
          <Button type="submit" kind="primary">
            Done
          </Button>
        )
      }
    >
      {link === undefined ? (
        <p className="text-muted">
          Make sure that the request really comes from {member.name}: call them. The link works once, within
          24 hours, and the audit log records that you created it.
        </p>
      ) : (
        <>
          <div className="flex items-start gap-1">
            <Field label="Link" hint="You won’t see it again." className="min-w-0 flex-1">
              <Input
                readOnly
                value={link.url}
                onFocus={(event) => event.target.select()}
                className="font-mono"
              />
            </Field>
            <Copy text={link.url} what="the link" className="mt-7" />
          </div>
          <p className="mt-2 text-sm text-muted">
            Expires <Time value={link.expires_at} />
          </p>
        </>
      )}
      {make.error !== null && (
        <p role="alert" className="mt-3 text-bad">
          {messageOf(make.error)}
        </p>
      )}
    </Dialog>
  );
}
