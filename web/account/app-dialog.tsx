import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { fieldErrors, messageOf } from '../api/client.ts';
import type { NewTotp } from '../../src/contract/dashboard/factors.ts';
import { Button } from '../ui/button.tsx';
import { Copy } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Input } from '../ui/field.tsx';
import { useFactorCalls } from './calls.ts';

export interface AppDialogProps {
  onClose(): void;
  /** @param codes new recovery codes; null if the user already had recovery codes */
  onDone(codes: readonly string[] | null): void;
}

/** Shows the secret for an authenticator app, and asks for the first code from the app. */
export function AppDialog({ onClose, onDone }: AppDialogProps) {
  const { startApp } = useFactorCalls();
  const start = useMutation({
    mutationFn: startApp,
    onError: onClose,
  });
  const begin = start.mutate;
  useEffect(() => begin(), [begin]);
  // Render nothing until the secret is loaded, because until then the dialog that confirms the user's identity may be open.
  return start.data === undefined ? null : <Scan totp={start.data} onClose={onClose} onDone={onDone} />;
}

function Scan({ totp, onClose, onDone }: AppDialogProps & { totp: NewTotp }) {
  const { ticket, secret, qr_code: picture } = totp;
  const [code, setCode] = useState('');
  const { confirmApp } = useFactorCalls();
  const confirm = useMutation({
    meta: { showsErrors: true },
    mutationFn: () => confirmApp({ ticket, code }),
    onSuccess: ({ recovery_codes: codes }) => onDone(codes),
  });
  const { error } = confirm;
  return (
    <Dialog
      isOpen
      isSticky
      isBusy={confirm.isPending}
      onClose={onClose}
      title="Set up an authenticator app"
      description="Scan the QR code with the app, then enter the code that it shows."
      onSubmit={() => confirm.mutate()}
      actions={
        <>
          <Button disabled={confirm.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" kind="primary" isBusy={confirm.isPending}>
            Set up
          </Button>
        </>
      }
    >
      <div className="grid justify-items-center gap-4">
        <img src={picture} alt="QR code for the app" className="size-44 rounded-md" />
        <div className="flex w-full items-center gap-1 rounded-md border border-line bg-sunken py-1 pr-1 pl-3">
          <code aria-label="Secret" className="min-w-0 flex-1 font-mono text-sm break-all">
            {secret.match(/.{1,4}/g)?.join(' ')}
          </code>
          <Copy text={secret} what="the secret" />
        </div>
        <Field
          label="Code"
          error={error && (fieldErrors(error)['code'] ?? messageOf(error))}
          className="w-full"
        >
          <Input
            name="code"
            autoComplete="one-time-code"
            inputMode="numeric"
            maxLength={10}
            className="font-mono"
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
        </Field>
      </div>
    </Dialog>
  );
}
