import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FirstStepCalls } from '../../../account/calls.ts';
import { SignInForm } from '../../../account/sign-in-form.tsx';
import { ApiProblem, dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';
import type { MailSignInAnswer } from '../../../../src/contract/mail/session.ts';
import { accountsQuery } from '../../shell/session.ts';

const CALLS: FirstStepCalls<MailSignInAnswer> = {
  provePassword: (address, password) => dataOf(api.POST('/session', { body: { address, password } })),
  askPasskey: () => dataOf(api.POST('/session/passkey-question', { body: {} })),
  provePasskey: (body) => dataOf(api.POST('/session/passkey', { body })),
};

export interface FirstStepProps {
  address: string;
  setAddress(address: string): void;
  onAnswer(answer: MailSignInAnswer): Promise<void>;
}

export function FirstStep({ address, setAddress, onAnswer }: FirstStepProps) {
  const [first] = useQuery(accountsQuery).data ?? [];
  return (
    <SignInForm
      title="Sign in to your mailbox"
      footer={
        first === undefined ? (
          'Forgot your password? Ask your administrator to reset it.'
        ) : (
          <Link
            to="/$address/$folder"
            params={{ address: first.address, folder: 'inbox' }}
            className="font-medium text-accent hover:underline"
          >
            Back to {first.address}
          </Link>
        )
      }
      field={{ name: 'address', label: 'Address' }}
      value={address}
      onChange={setAddress}
      calls={CALLS}
      onAnswer={onAnswer}
      refusalOf={refusal}
    />
  );
}

const TOO_MANY = /^this browser is signed in/;

function refusal(error: Error): string {
  if (!(error instanceof ApiProblem) || !error.hasFields) return messageOf(error);
  const { address = '' } = error.errors;
  return TOO_MANY.test(address)
    ? 'This browser is already signed in to ten mailboxes. Sign out of one first.'
    : 'Enter your address and password.';
}
