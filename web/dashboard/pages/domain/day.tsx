import { local } from '../../../ui/times.ts';

/** A date, with the exact time on hover. */
export function Day({ value }: { value: string }) {
  return (
    <time dateTime={value} title={local.exact(value)} className="whitespace-nowrap">
      {local.date(value)}
    </time>
  );
}
