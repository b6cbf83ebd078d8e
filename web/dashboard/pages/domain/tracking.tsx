import { useMutation, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { DashboardDomain, DomainTrackingSettings } from '../../../../src/contract/dashboard/domains.ts';
import { Card } from '../../../ui/card.tsx';
import { Field, Select } from '../../../ui/field.tsx';
import { toast } from '../../../ui/toast.tsx';
import { domainKey } from './use-domain.ts';

type Choice = DomainTrackingSettings['opens'];

interface TrackingProps {
  project: string;
  domain: DashboardDomain;
  mayChange: boolean;
}

export function Tracking({ project, domain, mayChange }: TrackingProps) {
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (body: DomainTrackingSettings) =>
      dataOf(
        api.PUT('/projects/{project}/domains/{id}/tracking', {
          params: { path: { project, id: domain.id } },
          body,
        }),
      ),
    onSuccess(changed) {
      queries.setQueryData(domainKey(project, domain.id), changed);
      toast('Saved. Applies to emails accepted from now on.');
    },
  });
  const shown = change.isPending ? change.variables : domain.tracking;
  const { project_tracking: inherited } = domain;
  const options = (isOn: boolean) =>
    [
      ['inherit', `Project default: ${isOn ? 'on' : 'off'}`],
      ['on', 'On'],
      ['off', 'Off'],
    ] as const;
  const fields = [
    ['opens', 'Opens', 'A one-pixel image at the end of the HTML.', inherited.opens],
    ['clicks', 'Clicks', 'Links in the HTML redirect through this server.', inherited.clicks],
  ] as const;
  return (
    <Card title="Tracking">
      <p className="mb-3 max-w-2xl text-pretty text-muted">
        Open and click tracking for mail from {domain.domain}. Do not track password resets and sign-in links.
        {!mayChange && ' Only admins can change it.'}
      </p>
      <div className="grid gap-4 sm:grid-cols-2">
        {fields.map(([name, label, hint, isOn]) => (
          <Field key={name} label={label} hint={hint}>
            <Select
              value={shown[name]}
              disabled={!mayChange || change.isPending}
              onChange={({ target }) => change.mutate({ ...domain.tracking, [name]: target.value as Choice })}
            >
              {options(isOn).map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </Select>
          </Field>
        ))}
      </div>
    </Card>
  );
}
