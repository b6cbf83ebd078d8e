import { exactTime } from '../../../ui/times.ts';

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });

/** A date, with the exact time on hover. */
export function Day({ value }: { value: string }) {
  return (
    <time dateTime={value} title={exactTime(value)} className="whitespace-nowrap">
      {day.format(new Date(value))}
    </time>
  );
}
