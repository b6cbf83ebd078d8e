import { Meter } from '../../../ui/meter.tsx';
import { bytes } from '../../../ui/amounts.ts';

interface StorageProps {
  octets: number;
  quota_mb: number;
  className?: string;
}

/** The storage that a mailbox uses, compared with its quota. */
export function Storage({ octets, quota_mb: quotaMb, className }: StorageProps) {
  const quota = quotaMb * 1024 ** 2;
  const words = `${bytes(octets)} of ${bytes(quota)}`;
  return (
    <span className={`grid gap-1.5 ${className ?? ''}`}>
      <span className="text-sm whitespace-nowrap text-muted">{words}</span>
      <Meter label={`${words} used`} value={octets / quota} />
    </span>
  );
}
