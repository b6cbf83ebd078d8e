import { Dialog } from '../../ui/dialog.tsx';
import { Kbd } from '../../ui/kbd.tsx';

const KEYS: readonly (readonly [what: string, keys: readonly (readonly [keys: string, does: string])[]])[] = [
  [
    'Go',
    [
      ['/', 'Search mail'],
      ['g i', 'Inbox'],
      ['g s', 'Starred'],
      ['g t', 'Sent'],
      ['g d', 'Drafts'],
      ['g a', 'Archive'],
      ['g l', 'Go to folder'],
      ['g 1', 'First mailbox; up to g 9'],
      ['Shift N', 'Check for new mail'],
    ],
  ],
  [
    'Conversations',
    [
      ['j', 'Next conversation'],
      ['k', 'Previous conversation'],
      ['o', 'Open (or Enter)'],
      ['u', 'Back to the list'],
      ['Shift F10', 'Menu of the conversation'],
      ['n', 'Next message'],
      ['p', 'Previous message'],
      [';', 'Open all messages'],
      [':', 'Close all messages'],
      ['Shift D', 'Show a message in original or dark colors'],
    ],
  ],
  [
    'Actions',
    [
      ['e', 'Archive'],
      ['#', 'Move to Trash'],
      ['!', 'Report as junk, or not junk'],
      ['v', 'Move to folder'],
      ['l', 'Label'],
      ['b', 'Snooze'],
      ['m', 'Mute or unmute'],
      ['Shift P', 'Pin or unpin'],
      ['s', 'Star'],
      ['Shift I', 'Mark as read'],
      ['Shift U', 'Mark as unread'],
      ['z', 'Undo'],
      ['[', 'Archive and go to previous'],
      [']', 'Archive and go to next'],
    ],
  ],
  [
    'Write',
    [
      ['c', 'Compose'],
      ['r', 'Reply'],
      ['a', 'Reply to all'],
      ['f', 'Forward'],
      ['Shift R', 'Reply in a panel; also Shift A, Shift F'],
    ],
  ],
  [
    'Select',
    [
      ['x', 'Current conversation'],
      ['* a', 'All'],
      ['* n', 'None'],
      ['* r', 'Read'],
      ['* u', 'Unread'],
      ['* s', 'Starred'],
      ['* t', 'Unstarred'],
    ],
  ],
];

/** The list of all keyboard shortcuts, opened with `?`. */
export default function Help({ onClose }: { onClose(): void }) {
  return (
    <Dialog isOpen onClose={onClose} title="Keyboard shortcuts" width="wide">
      <div tabIndex={0} role="region" aria-label="All shortcuts" className="gap-x-10 sm:columns-2">
        {KEYS.map(([group, keys]) => (
          <section key={group} className="mb-5 break-inside-avoid">
            <h3 className="mb-1 text-sm text-muted">{group}</h3>
            <dl>
              {keys.map(([key, does]) => (
                <div key={key} className="flex items-center justify-between py-1">
                  <dt>{does}</dt>
                  <dd className="flex gap-1">
                    {key.split(' ').map((each) => (
                      <Kbd key={each}>{each}</Kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
