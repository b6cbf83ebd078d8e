import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { AlertDialog } from '../ui/dialog.tsx';
import { toast } from '../ui/toast.tsx';
import { AppDialog } from './app-dialog.tsx';
import { type AccountFactors, useFactorCalls } from './calls.ts';

export interface SecondFactorProps {
  account: AccountFactors;
  /** Text about further effects of a second factor. */
  children?: ReactNode;
  onCodes(codes: readonly string[]): void;
}

export function SecondFactor({ account, onCodes, children }: SecondFactorProps) {
  const { removeApp, makeCodes: askCodes, settle } = useFactorCalls();
  const [open, setOpen] = useState<'add' | 'remove' | 'codes' | null>(null);
  const close = () => setOpen(null);
  const remove = useMutation({
    mutationFn: removeApp,
    onSuccess: () => toast('Authenticator app removed'),
    async onSettled() {
      close();
      await settle();
    },
  });
  const makeCodes = useMutation({
    mutationFn: askCodes,
    onSuccess: ({ recovery_codes: codes }) => onCodes(codes),
    async onSettled() {
      close();
      await settle();
    },
  });
  const hasApp = account.authenticator_app;
  const hasFactor = hasApp || account.passkeys.length > 0;
  const left = account.recovery_codes;
  return (
    <Card title="Two-factor authentication">
      <div className="grid gap-4">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <div className="min-w-0 flex-1 basis-60">
            <p className="flex items-center gap-2 font-medium">
              Authenticator app {hasApp && <Badge tone="good">On</Badge>}
            </p>
            <p className="text-sm text-pretty text-muted">
              {hasApp
                ? 'You’ll enter its code after your password.'
                : 'After your password, enter a code from an authenticator app.'}
            </p>
          </div>
          {hasApp ? (
            <Button onClick={() => setOpen('remove')}>Remove app</Button>
          ) : (
            <Button onClick={() => setOpen('add')}>Set up</Button>
          )}
        </div>
        {hasFactor && (
          <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-line pt-4">
            <div className="min-w-0 flex-1 basis-60">
              <p className="flex items-center gap-2 font-medium">
                Recovery codes <Badge tone={left > 2 ? 'quiet' : 'warn'}>{left} left</Badge>
              </p>
              <p className="text-sm text-pretty text-muted">Use these if you lose your other factors.</p>
            </div>
            <Button onClick={() => setOpen('codes')}>Create new codes</Button>
          </div>
        )}
        {children}
      </div>
      {open === 'add' && (
        <AppDialog
          onClose={close}
          onDone={(codes) => {
            close();
            toast('Authenticator app set up');
            if (codes !== null) onCodes(codes);
            void settle();
          }}
        />
      )}
      <AlertDialog
        isOpen={open === 'remove'}
        onClose={close}
        title="Remove the authenticator app?"
        action="Remove"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
      >
        <p>
          The codes of the app stop working.
          {account.passkeys.length === 0 &&
            ' Your password alone is then enough to sign in, and your recovery codes are deleted.'}
        </p>
      </AlertDialog>
      <AlertDialog
        isOpen={open === 'codes'}
        onClose={close}
        title="Create new recovery codes?"
        action="Create new codes"
        isBusy={makeCodes.isPending}
        onConfirm={() => makeCodes.mutate()}
      >
        <p>The {left} unused codes stop working.</p>
      </AlertDialog>
    </Card>
  );
}
