import { Copy } from '../ui/copy.tsx';

/** A password, this once. */
export function PasswordShown({ password, label = 'Password' }: { password: string; label?: string }) {
  return (
    <div className="grid gap-2">
      <div className="flex items-center gap-1 rounded-md border border-line bg-sunken py-1 pr-1 pl-3">
        <output aria-label={label} className="min-w-0 flex-1 font-mono text-sm break-all">
          {password}
        </output>
        <Copy text={password} what="the password" />
      </div>
      <p className="text-warn">It is shown this once: only a hash of it is kept.</p>
    </div>
  );
}
