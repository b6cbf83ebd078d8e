import { useState } from 'react';
import { TimeDialog, type TimeDialogProps } from '../../shell/time-dialog.tsx';
import { choicesAt } from './later.ts';

/** `before` is the scheduled time to change. By default the dialog begins with the first of the suggested times. */
export type LaterDialogProps = Pick<TimeDialogProps, 'before' | 'maxDays' | 'onChoose' | 'onClose'>;

/** Asks when to send a message. */
export function LaterDialog(props: LaterDialogProps) {
  const [choices] = useState(() => choicesAt(new Date()));
  return (
    <TimeDialog
      title="Send later"
      description="The server sends the message, so you can close this window."
      action="Schedule"
      choices={choices}
      {...props}
    />
  );
}
