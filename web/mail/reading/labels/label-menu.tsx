import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { classes } from '../../../ui/classes.ts';
import { SEARCH } from '../folders.ts';
import { Count, LINE, LIST } from '../folder-list.tsx';
import { LabelDot } from './chip.tsx';
import { labelsQuery, searchFor } from './queries.ts';

interface LabelMenuProps {
  /** The mailbox, and its address. */
  mailbox: string;
  address: string;
  /** The class names of the heading. */
  heading: string;
  onChoose: (() => void) | undefined;
}

/** The labels below the folders, with their unread messages. */
export function LabelMenu({ mailbox, address, heading, onChoose }: LabelMenuProps) {
  const { data = [] } = useQuery(labelsQuery(mailbox));
  if (data.length === 0) return null;
  return (
    <>
      <h2 className={heading}>Labels</h2>
      <ul className={LIST}>
        {data.map(({ keyword, name, color, unread }) => (
          <li key={keyword}>
            <Link
              to="/$address/$folder"
              params={{ address, folder: SEARCH }}
              search={{ q: searchFor(keyword) }}
              activeOptions={{ includeSearch: true }}
              onClick={onChoose}
              title={name}
              className={classes(
                LINE,
                'ps-2.5',
                unread > 0 ? 'font-semibold text-text' : 'font-medium text-muted',
              )}
            >
              <span className="grid size-4 place-items-center">
                <LabelDot color={color} className="size-2.5" />
              </span>
              <bdi className="min-w-0 flex-1 truncate">{name}</bdi>
              <Count count={unread} isBold={unread > 0} of="unread" />
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
