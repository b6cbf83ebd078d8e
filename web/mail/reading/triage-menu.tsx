import type { ConversationRow } from '../../../src/contract/mail/conversations.ts';
import { MenuItem } from '../../ui/menu.tsx';
import type { ListActions } from '../pages/list/use-list-actions.ts';
import { TRIAGE_ITEMS } from './triage-items.ts';

interface TriageMenuItemsProps {
  /** The first of the conversations, which decides whether an entry marks or unmarks them. */
  row: ConversationRow;
  /** Default: the selected conversations. */
  ids?: readonly string[];
  actions: ListActions;
}

/** Entries of a menu that snooze, label, pin and mute conversations. */
export function TriageMenuItems({ row, ids, actions }: TriageMenuItemsProps) {
  return TRIAGE_ITEMS.filter(({ shows }) => shows(row)).map(({ id, text, icon: Icon, run }) => (
    <MenuItem
      key={id}
      icon={<Icon />}
      onClick={() =>
        run({
          row,
          act: ({ action }) => actions.run(action, ids),
          open: (dialog) => (dialog === 'move' ? actions.move(ids) : actions.ask(dialog, ids)),
        })
      }
    >
      {text(row)}
    </MenuItem>
  ));
}
