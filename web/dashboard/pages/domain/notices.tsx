import type { ReactNode } from 'react';
import type { DashboardDomain } from '../../../../src/contract/dashboard/domains.ts';
import { classes } from '../../../ui/classes.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { InfoIcon, WarningIcon } from '../../../ui/icons.tsx';
import { Time } from '../../../ui/time.tsx';
import { local } from '../../../ui/times.ts';
import { useMay, useProject, useSession } from '../../shell/session.ts';
import { VerifyManually } from './verify-manually.tsx';

/** Notices about the domain, shown above the other parts of the page. */
export function Notices({ domain }: { domain: DashboardDomain }) {
  const { service, user } = useSession();
  const { id: project, name } = useProject();
  const mayVerify = useMay('developer') && user.is_operator;
  if (domain.status === 'warning') return <Warning domain={domain} />;
  if (domain.verified_by_hand === true)
    return (
      <Notice title="Verified manually for testing">
        An operator marked this domain as verified without DNS records. In production, only the DNS records
        count.
      </Notice>
    );
  // A process of an earlier version sends no fix_by.
  if (domain.status === 'verified' && domain.fix_by != null)
    return <FixBy domain={domain} fixBy={domain.fix_by} />;
  if (domain.status === 'verified' || service.environment === 'production') return null;
  return (
    <Notice title="Just trying it out?">
      <p className="mb-2">
        In development, you can use the domain without DNS records.
        {!mayVerify && ' The operator runs:'}
      </p>
      {mayVerify ? (
        <VerifyManually project={project} id={domain.id} />
      ) : (
        <CodeBlock
          code={`npm run -s posthorn -- domain add --project ${quoted(name)} --domain ${domain.domain} --verified`}
          label="the command"
        />
      )}
    </Notice>
  );
}

/** Quotes a text for a shell. */
function quoted(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function Warning({ domain }: { domain: DashboardDomain }) {
  const lost = domain.records.filter(({ required, status }) => required && status === 'failed');
  const names = [...new Set(lost.map(({ record }) => record.replace('_', ' ')))];
  return (
    <Notice
      isWarning
      title={names.length === 0 ? 'DNS records were missing' : `Missing from DNS: ${names.join(', ')}`}
    >
      You can still send from it. Sending stops <Time value={domain.warning_until} /> (
      {domain.warning_until !== null && local.exact(domain.warning_until)}). Restore the records before then.
    </Notice>
  );
}

/** Required records are wrong, but an earlier version accepted them. */
function FixBy({ domain, fixBy }: { domain: DashboardDomain; fixBy: string }) {
  const wrong = domain.records.filter((record) => record.required && record.fix_by !== undefined);
  const names = [...new Set(wrong.map(({ record }) => record.replace('_', ' ')))];
  return (
    <Notice isWarning title={`Receivers may reject your mail: ${names.join(', ')}`}>
      An earlier version of this server accepted these records, but receivers reject them. The domain stays
      verified until {local.exact(fixBy)} (<Time value={fixBy} />
      ). Correct the records before then.
    </Notice>
  );
}

interface NoticeProps {
  title: string;
  isWarning?: boolean;
  children: ReactNode;
}

function Notice({ title, isWarning = false, children }: NoticeProps) {
  return (
    <div
      role={isWarning ? 'alert' : 'note'}
      className={classes(
        'grid grid-cols-[auto_minmax(0,1fr)] gap-x-2.5 rounded-lg px-4 py-3',
        isWarning ? 'bg-warn-soft' : 'bg-sunken',
      )}
    >
      {isWarning ? (
        <WarningIcon className="mt-[3px] text-warn" />
      ) : (
        <InfoIcon className="mt-[3px] text-muted" />
      )}
      <div className="text-pretty">
        <p className="font-medium">{title}</p>
        <div className="text-muted">{children}</div>
      </div>
    </div>
  );
}
