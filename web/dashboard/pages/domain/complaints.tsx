import { Card } from '../../../ui/card.tsx';
import { Copy } from '../../../ui/copy.tsx';

/** Where large providers are told to report who pressed "spam". */
export function Complaints({ address }: { address: string }) {
  return (
    <Card title="Complaints">
      <p className="text-pretty text-muted">
        Register this address at the feedback loops of large providers, such as Yahoo Sender Hub. Whoever
        presses “spam” there is then on the suppression list.{' '}
        <a href="/docs/operate/deliverability" className="text-accent underline underline-offset-2">
          Where to register
        </a>
      </p>
      <p className="mt-2 flex items-center gap-2">
        <span className="min-w-0 font-mono text-sm break-all">{address}</span>
        <Copy text={address} what="the address for complaints" />
      </p>
    </Card>
  );
}
