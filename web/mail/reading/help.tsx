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
      ['g l', 'Choose a folder'],
      ['g 1', 'First mailbox; up to g 9'],
      ['Shift N', 'Look for new mail'],
    ],
  ],
  [
    'Conversations',
    [
      ['j', 'Next one'],
      ['k', 'Previous one'],
      ['o', 'Open (Enter too)'],
      ['u', 'Back to the list'],
      ['n', 'Next message'],
      ['p', 'Previous message'],
      [';', 'Open all messages'],
      [':', 'Close all messages'],
    ],
  ],
  [
    'Do',
    [
      ['e', 'Archive'],
      ['#', 'Move to Trash'],
      ['!', 'Report as junk, or not junk'],
      ['v', 'Move to a folder'],
      ['l', 'Move to a folder'],
      ['s', 'Star'],
      ['Shift I', 'Mark as read'],
      ['Shift U', 'Mark as unread'],
      ['z', 'Undo'],
      ['[', 'Archive, go to the previous one'],
      [']', 'Archive, go to the next one'],
    ],
  ],
  [
    'Write',
    [
      ['c', 'Compose'],
      ['r', 'Reply'],
      ['a', 'Reply to all'],
      ['f', 'Forward'],
    ],
  ],
  [
    'Select',
    [
      ['x', 'This one'],
      ['* a', 'All'],
      ['* n', 'None'],
      ['* r', 'Read ones'],
      ['* u', 'Unread ones'],
      ['* s', 'Starred ones'],
      ['* t', 'Unstarred ones'],
    ],
  ],
];

/** All keyboard shortcuts, opened with `?`. */
export default function Help({ onClose }: { onClose(): void }) {
  return (
    <Dialog isOpen onClose={onClose} title="Keys" width="wide">
      <div tabIndex={0} role="region" aria-label="All keys" className="gap-x-10 sm:columns-2">
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
