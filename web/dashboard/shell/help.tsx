import { Dialog } from '../../ui/dialog.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { usePages } from './pages.ts';

export default function Help({ onClose }: { onClose(): void }) {
  const pages = usePages();
  const all: readonly (readonly [keys: readonly string[], what: string])[] = [
    [['/'], 'Search on this page'],
    [['Ctrl', 'K'], 'Open the command palette'],
    ...pages.map(({ key, name }) => [['g', key], `Go to ${name}`] as const),
    [['j'], 'Next email in the list'],
    [['k'], 'Previous email in the list'],
    [['x'], 'Select an email of the list'],
    [['Shift', 'x'], 'Select all emails up to this one'],
    [['Esc'], 'Close the dialog'],
    [['?'], 'Show keyboard shortcuts'],
  ];
  return (
    <Dialog isOpen onClose={onClose} title="Keyboard shortcuts" width="wide">
      <dl tabIndex={0} className="gap-x-10 sm:columns-2">
        {all.map(([keys, what]) => (
          <div key={what} className="flex break-inside-avoid items-center justify-between py-1">
            <dt>{what}</dt>
            <dd className="flex gap-1">
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
