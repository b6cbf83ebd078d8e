import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button } from '../../../ui/button.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast, toastFailure } from '../../../ui/toast.tsx';
import type { TemplateKey } from '../templates/queries.ts';
import { indented } from './sample.ts';
import type { WritingState } from './use-writing.ts';

interface UsedEmail {
  id: string;
  to: string;
  created_at: string;
  /** The sample data with the values of the email. */
  sample: string;
  /** The sample data before. */
  before: string;
}

/** Replaces the sample data with the values of the last email that was sent with the template. */
export function LastEmail({ of: key, writing }: { of: TemplateKey; writing: WritingState }) {
  const [used, setUsed] = useState<UsedEmail | null>(null);
  const { fields, replace } = writing;
  const load = useMutation({
    mutationFn: () =>
      dataOf(api.GET('/projects/{project}/templates/{id}/last-email', { params: { path: { ...key } } })),
    onSuccess({ email }) {
      if (email === null) {
        toast('No recent email with this template, or its content was deleted');
        return;
      }
      const sample = indented(email.variables);
      setUsed({ ...email, sample, before: fields.sample });
      replace({ sample });
    },
    onError: (error) => toastFailure(messageOf(error)),
  });
  if (used === null || used.sample !== fields.sample)
    return (
      <Button isBusy={load.isPending} onClick={() => load.mutate()}>
        Use data of last email
      </Button>
    );
  return (
    <div className="grid justify-items-start gap-2 rounded-md border border-line bg-warn-soft px-4 py-3">
      <p role="status" className="wrap-anywhere">
        Shows the data of the{' '}
        <Link to="/emails/$id" params={{ id: used.id }} className="text-accent underline">
          email to {used.to}
        </Link>
        , <Time value={used.created_at} />.
      </p>
      <p className="text-sm text-muted">
        It may be personal data. It is stored only in your draft, until you discard or replace it. If you
        save, all members see it as the sample data of this template.
      </p>
      <Button
        onClick={() => {
          replace({ sample: used.before });
          setUsed(null);
        }}
      >
        Restore sample data
      </Button>
    </div>
  );
}
