import { useEffect, useRef, useState } from 'react';
import type { MailboxRule } from '../../src/contract/mailbox-filing.ts';
import { Badge } from '../ui/badge.tsx';
import { IconButton } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { spoken } from './rule-words.ts';
import { PenIcon, GripIcon, MoreIcon, PauseIcon, PlayIcon, TrashIcon } from '../ui/icons.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';

interface Editing {
  onMove(id: string, position: number): void;
  onSwitch(rule: MailboxRule): void;
  /** Null if rules cannot be edited in this application. */
  onEdit: ((rule: MailboxRule) => void) | null;
  onRemove(rule: MailboxRule): void;
}

interface RuleListProps {
  rules: readonly MailboxRule[];
  /** Null if the user has only read access. */
  editing: Editing | null;
}

/** The list of rules in order. Users reorder rules by dragging or with the arrow keys. */
export function RuleList({ rules, editing }: RuleListProps) {
  const [dragged, setDragged] = useState<string | null>(null);
  const [over, setOver] = useState<string | null>(null);
  const [said, setSaid] = useState('');
  const move = (rule: MailboxRule, position: number) => {
    if (editing === null || position < 1 || position > rules.length || position === rule.position) return;
    editing.onMove(rule.id, position);
    setSaid(`${rule.name} is now ${position} of ${rules.length}`);
  };
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const place = list.current;
    if (place === null || dragged === null) return;
    const end = new AbortController();
    const targetOf = ({ target }: Event) =>
      (target as Element).closest<HTMLElement>('[data-rule]')?.dataset['rule'];
    const onOver = (event: DragEvent) => {
      event.preventDefault();
      setOver(targetOf(event) ?? null);
    };
    const onDrop = (event: DragEvent) => {
      event.preventDefault();
      const rule = rules.find(({ id }) => id === dragged);
      const target = rules.find(({ id }) => id === targetOf(event));
      if (rule !== undefined && target !== undefined) move(rule, target.position);
    };
    place.addEventListener('dragover', onOver, { signal: end.signal });
    place.addEventListener('drop', onDrop, { signal: end.signal });
    return () => end.abort();
  });
  return (
    <>
      <p role="status" className="sr-only">
        {said}
      </p>
      <ol ref={list} aria-label="Rules" className="divide-y divide-line rounded-lg border border-line">
        {rules.map((rule) => (
          <li
            key={rule.id}
            className={classes(
              'flex items-start gap-2 py-3 pr-2 pl-1',
              dragged === rule.id && 'opacity-55',
              over === rule.id && dragged !== rule.id && 'bg-selected',
            )}
            data-rule={rule.id}
          >
            {editing === null ? (
              <span className="w-5 shrink-0 pt-1 text-right text-muted tabular-nums max-sm:hidden">
                {rule.position}
              </span>
            ) : (
              <button
                type="button"
                draggable
                aria-label={`Move ${rule.name}: ${rule.position} of ${rules.length}`}
                title="Drag, or use the arrow keys"
                className="grid size-8 shrink-0 cursor-grab place-items-center rounded-md text-faint hover:bg-hover hover:text-text max-sm:hidden"
                onDragStart={(event) => {
                  event.dataTransfer.effectAllowed = 'move';
                  event.dataTransfer.setData('text/plain', rule.name);
                  setDragged(rule.id);
                }}
                onDragEnd={() => {
                  setDragged(null);
                  setOver(null);
                }}
                onKeyDown={(event) => {
                  const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
                  if (by === undefined) return;
                  event.preventDefault();
                  event.stopPropagation();
                  move(rule, rule.position + by);
                }}
              >
                <GripIcon />
              </button>
            )}
            <div className="min-w-0 flex-1 pt-1 max-sm:pl-3">
              <p className="flex flex-wrap items-center gap-2 font-medium wrap-anywhere">
                {rule.name}
                {!rule.enabled && <Badge>Off</Badge>}
              </p>
              <p className="text-sm text-muted wrap-anywhere">
                If {rule.conditions.map(spoken).join(rule.match === 'any' ? ' or ' : ' and ')}:{' '}
                {rule.actions.map(spoken).join(', ')}
              </p>
            </div>
            {editing?.onEdit != null && (
              <IconButton label={`Edit ${rule.name}`} onClick={() => editing.onEdit?.(rule)}>
                <PenIcon />
              </IconButton>
            )}
            {editing !== null && (
              <Menu
                trigger={
                  <IconButton label={`More about ${rule.name}`}>
                    <MoreIcon />
                  </IconButton>
                }
              >
                <MenuItem isDisabled={rule.position === 1} onClick={() => move(rule, rule.position - 1)}>
                  Move up
                </MenuItem>
                <MenuItem
                  isDisabled={rule.position === rules.length}
                  onClick={() => move(rule, rule.position + 1)}
                >
                  Move down
                </MenuItem>
                <MenuItem
                  icon={rule.enabled ? <PauseIcon /> : <PlayIcon />}
                  onClick={() => editing.onSwitch(rule)}
                >
                  {rule.enabled ? 'Turn off' : 'Turn on'}
                </MenuItem>
                <MenuItem icon={<TrashIcon />} isDanger onClick={() => editing.onRemove(rule)}>
                  Remove
                </MenuItem>
              </Menu>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}
