import { Link } from '@tanstack/react-router';
import type { ProjectSettings } from '../../../../src/contract/dashboard/projects.ts';
import { Field, Select } from '../../../ui/field.tsx';
import { useMay, useSession } from '../../shell/session.ts';
import { useChange } from './queries.ts';

/** Only operators choose a plan, who are admins of the project too. */
export function PlanField({ plan }: Pick<ProjectSettings, 'plan'>) {
  const { user } = useSession();
  const isAdmin = useMay('admin');
  const change = useChange();
  const usage = (
    <Link to="/usage" className="text-accent underline">
      what it uses
    </Link>
  );
  if (!user.is_operator || !isAdmin)
    return (
      <p className="border-t border-line pt-4 text-muted">
        On the <strong className="font-medium text-text">{plan}</strong> plan: see {usage}. Only operators of
        this installation change it.
      </p>
    );
  return (
    <Field
      label="Plan"
      className="border-t border-line pt-4"
      hint={<>It counts within two seconds. What is there stays, also above the limits: see {usage}.</>}
    >
      <Select
        value={plan}
        disabled={change.isPending}
        onChange={(event) => change.mutate({ plan: event.target.value as ProjectSettings['plan'] })}
      >
        <option value="free">Free</option>
        <option value="paid">Paid</option>
      </Select>
    </Field>
  );
}
