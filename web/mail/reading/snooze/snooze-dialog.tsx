import { useState } from 'react';
import { TimeDialog } from '../../shell/time-dialog.tsx';
import { snoozeChoices } from './choices.ts';

/** The latest time is two years ahead. */
const MAX_DAYS = 730;

interface SnoozeDialogProps {
  onChoose(until: Date): void;
  onClose(): void;
}

/** Asks until when to snooze conversations. */
export default function SnoozeDialog({ onChoose, onClose }: SnoozeDialogProps) {
  const [choices] = useState(() => snoozeChoices(new Date()));
  return (
    <TimeDialog
      title="Snooze"
      description="The conversation moves to Snoozed, and returns to the top of its folder at the chosen time."
      action="Snooze"
      choices={choices}
      maxDays={MAX_DAYS}
      onChoose={(at) => {
        onClose();
        onChoose(at);
      }}
      onClose={onClose}
    />
  );
}
