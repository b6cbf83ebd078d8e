import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, fieldErrors } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { ProjectSettings, Retention } from '../../../../src/contract/dashboard/projects.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { toast } from '../../../ui/toast.tsx';
import { useProject } from '../../shell/session.ts';
import { settingsQuery } from './queries.ts';
import { RetentionDialog } from './retention-dialog.tsx';

const FIELDS = [
  [
    'keep_days',
    'Keep emails for',
    'After that, emails are deleted with their timeline, content and webhook log, unless delivery to a recipient is still pending. Monthly counts stay.',
  ],
  [
    'keep_bodies_days',
    'Keep HTML and text for',
    'After that, both are deleted; status, timeline and headers stay. 0 deletes them right after the last attempt.',
  ],
] as const;

interface RetentionCardProps {
  settings: ProjectSettings;
  mayChange: boolean;
}

/** The retention periods in days. An empty field means forever. */
export function RetentionCard({ settings, mayChange }: RetentionCardProps) {
  const { id: project } = useProject();
  const queries = useQueryClient();
  const before = {
    keep_days: String(settings.keep_days ?? ''),
    keep_bodies_days: String(settings.keep_bodies_days ?? ''),
  };
  const [days, setDays] = useState(before);
  const [pendingRetention, setPendingRetention] = useState<Retention | null>(null);
  const save = useMutation({
    mutationFn: (body: Retention) =>
      dataOf(api.PUT('/projects/{project}/retention', { params: { path: { project } }, body })),
    onSuccess: () => toast('Saved'),
    async onSettled() {
      setPendingRetention(null);
      await queries.invalidateQueries({ queryKey: settingsQuery(project).queryKey });
    },
  });
  const errors = { ...fieldErrors(save.error), ...faultsOf(days) };
  const isSame = days.keep_days === before.keep_days && days.keep_bodies_days === before.keep_bodies_days;
  const { installation_keep_days: most } = settings;
  return (
    <Card title="Retention">
      <form
        noValidate
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (Object.keys(faultsOf(days)).length > 0) return;
          setPendingRetention({
            keep_days: daysIn(days.keep_days),
            keep_bodies_days: daysIn(days.keep_bodies_days),
          });
        }}
      >
        {most !== null && (
          <p className="text-muted">
            This installation keeps no email longer than {most} days. The shorter limit applies.
          </p>
        )}
        <div className="grid gap-4 sm:grid-cols-2">
          {FIELDS.map(([name, label, hint]) => (
            <Field key={name} label={`${label} (days)`} hint={hint} error={errors[name]}>
              <Input
                inputMode="numeric"
                autoComplete="off"
                placeholder="Forever"
                maxLength={5}
                disabled={!mayChange}
                value={days[name]}
                onChange={(event) => setDays({ ...days, [name]: event.target.value.trim() })}
              />
            </Field>
          ))}
        </div>
        <p className="text-sm text-pretty text-muted">
          Data past these limits is deleted within minutes. Domains, templates, people, suppressions and the
          mail in mailboxes are not affected. The audit log is stored for 400 days.
        </p>
        {mayChange && (
          <Button type="submit" className="justify-self-start" disabled={isSame}>
            Save
          </Button>
        )}
      </form>
      {pendingRetention !== null && (
        <RetentionDialog
          retention={pendingRetention}
          isBusy={save.isPending}
          onConfirm={() => save.mutate(pendingRetention)}
          onClose={() => setPendingRetention(null)}
        />
      )}
    </Card>
  );
}

function daysIn(text: string): number | null {
  return text === '' ? null : Number(text);
}

function faultsOf(days: Readonly<Record<keyof Retention, string>>): Partial<Record<keyof Retention, string>> {
  const isWrong = (text: string, least: number) =>
    text !== '' && !(/^\d{1,5}$/.test(text) && Number(text) >= least && Number(text) <= 36_500);
  return {
    ...(isWrong(days.keep_days, 1) && {
      keep_days: 'Enter a whole number from 1 to 36500, or leave it empty.',
    }),
    ...(isWrong(days.keep_bodies_days, 0) && {
      keep_bodies_days: 'Enter a whole number from 0 to 36500, or leave it empty.',
    }),
  };
}
