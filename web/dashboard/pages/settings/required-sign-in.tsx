import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldErrors } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Checkbox } from '../../../ui/field.tsx';
import { toast } from '../../../ui/toast.tsx';
import { waysQuery } from '../sign-in/ways.ts';

export type Required = 'second-factor' | 'openid' | null;

interface RequiredSignInProps {
  /** The users that the requirement applies to, such as "members". */
  of: string;
  required: Required;
  mayChange: boolean;
  save(required: Required): Promise<unknown>;
  onSaved(): Promise<void>;
}

const CHOICES: readonly { value: Required; label: string; hint: string }[] = [
  {
    value: null,
    label: 'Password',
    hint: 'A second factor is required only for users who have set one up.',
  },
  {
    value: 'second-factor',
    label: 'Second factor or OpenID',
    hint: 'An authenticator app, a passkey, or sign-in with the OpenID provider.',
  },
  {
    value: 'openid',
    label: 'OpenID',
    hint: 'A password, passkey or reset link alone gives no access.',
  },
];

/** The form for the minimum sign-in. The service rejects a minimum that the user's own sign-in does not meet. */
export function RequiredSignIn({ of, required, mayChange, save, onSaved }: RequiredSignInProps) {
  const { data: ways } = useQuery(waysQuery);
  const [chosen, setChosen] = useState<Required>(required);
  const change = useMutation({
    mutationFn: () => save(chosen),
    async onSuccess() {
      await onSaved();
      toast('Saved');
    },
  });
  const error = fieldErrors(change.error)['required'];
  const hasProvider = ways?.openid != null || required === 'openid';
  return (
    <Card title="Required sign-in">
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate();
        }}
      >
        <fieldset disabled={!mayChange} className="grid gap-2.5">
          <legend className="mb-2 text-muted">
            The minimum sign-in for {of}. Users who do not meet it can only set up the missing sign-in method.
          </legend>
          {CHOICES.map(({ value, label, hint }) => (
            <Checkbox
              key={label}
              isRadio
              name="required-sign-in"
              label={label}
              hint={
                value === 'openid' && !hasProvider
                  ? `${hint} No OpenID provider is set up. An operator can set POSTHORN_OIDC_ISSUER.`
                  : hint
              }
              disabled={value === 'openid' && !hasProvider}
              checked={chosen === value}
              onChange={() => setChosen(value)}
            />
          ))}
        </fieldset>
        {error !== undefined && (
          <p role="alert" className="text-sm text-bad">
            It {error}.
          </p>
        )}
        {mayChange && (
          <div className="flex justify-end">
            <Button type="submit" kind="primary" disabled={chosen === required} isBusy={change.isPending}>
              Save required sign-in
            </Button>
          </div>
        )}
      </form>
    </Card>
  );
}
