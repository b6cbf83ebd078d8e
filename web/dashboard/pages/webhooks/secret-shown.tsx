import { Copy } from '../../../ui/copy.tsx';

/** A secret, this once. */
export function SecretShown({ secret, label }: { secret: string; label: string }) {
  return (
    <div className="grid gap-2">
      <div className="flex items-center gap-1 rounded-md border border-line bg-sunken py-1 pr-1 pl-3">
        <output aria-label={label} className="min-w-0 flex-1 font-mono text-sm break-all">
          {secret}
        </output>
        <Copy text={secret} what="the secret" />
      </div>
      <p className="text-warn">It is shown this once. Store it where your receiver finds it.</p>
    </div>
  );
}
