import { Button } from '../../../ui/button.tsx';
import { countOf } from './words.ts';

interface SelectedProps {
  count: number;
  onRemove(): void;
  onClear(): void;
}

/** What is done to the rows that were ticked. Below them, so that no row moves. */
export function Selected({ count, onRemove, onClear }: SelectedProps) {
  return (
    <div
      role="toolbar"
      aria-label="Selected addresses"
      className="sticky bottom-4 z-10 mt-2 flex flex-wrap items-center gap-2 rounded-md border border-line bg-selected px-3 shadow-low py-1.5"
    >
      <span role="status" className="mr-auto font-medium">
        {countOf(count, 'address', 'addresses')} selected
      </span>
      <Button kind="quiet" onClick={onClear}>
        Clear
      </Button>
      <Button onClick={onRemove}>Remove</Button>
    </div>
  );
}
