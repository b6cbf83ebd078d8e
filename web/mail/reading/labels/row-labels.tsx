import type { ConversationRow } from '../../../../src/contract/mail/conversations.ts';
import { local } from '../../../ui/times.ts';
import { MuteIcon, PinIcon, SnoozeIcon } from '../../../ui/triage-icons.tsx';
import { isAsleep } from '../triage-items.ts';
import { LabelChip } from './chip.tsx';
import { useLabels } from './queries.ts';

/** The number of labels in a row. Further labels are counted. */
const MAX_SHOWN = 2;

/**
 * The labels of a conversation in a list, and whether it is pinned, muted or snoozed. Offline copies, and processes of the previous version
 * during an upgrade, do not know these.
 */
export function RowLabels({ row }: { row: ConversationRow }) {
  const { labels = [], pinned = false, muted = false } = row as Partial<ConversationRow>;
  return (
    <>
      {pinned && <Mark icon={<PinIcon className="size-3.5 text-accent" />} name="Pinned" />}
      {muted && <Mark icon={<MuteIcon className="size-3.5 text-muted" />} name="Muted" />}
      <Snoozed row={row} />
      {labels.length > 0 && <Labels keywords={labels} />}
    </>
  );
}

function Labels({ keywords }: { keywords: readonly string[] }) {
  const labels = useLabels(keywords);
  const hidden = labels.slice(MAX_SHOWN);
  return (
    <>
      <span className="sr-only">Labels:</span>
      {labels.slice(0, MAX_SHOWN).map((label) => (
        <LabelChip key={label.keyword} label={label} />
      ))}
      {hidden.length > 0 && (
        <span className="text-xs text-muted" title={hidden.map(({ name }) => name).join(', ')}>
          +{hidden.length}
        </span>
      )}
    </>
  );
}

/** When a snoozed conversation returns, or that it has returned and is still unread. */
function Snoozed({ row }: { row: ConversationRow }) {
  const { snoozed_until: until, unread } = row;
  if (until == null) return null;
  if (isAsleep(row))
    return (
      <span
        className="inline-flex items-center gap-1 text-xs text-warn"
        title={`Snoozed until ${local.exact(until)}`}
      >
        <SnoozeIcon className="size-3.5" />
        <span className="sr-only">Snoozed until </span>
        {`${local.weekday(until)}, ${local.time(until)}`}
      </span>
    );
  return unread > 0 ? (
    <Mark icon={<SnoozeIcon className="size-3.5 text-warn" />} name={`Snoozed until ${local.exact(until)}`} />
  ) : null;
}

function Mark({ icon, name }: { icon: React.ReactNode; name: string }) {
  return (
    <span title={name}>
      {icon}
      <span className="sr-only">{name}</span>
    </span>
  );
}
