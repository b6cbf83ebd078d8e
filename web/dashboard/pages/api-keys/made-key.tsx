import { useEffect, useRef, useState } from 'react';
import type { CreatedApiKey } from '../../../../src/contract/dashboard/api-keys.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Copy } from '../../../ui/copy.tsx';
import { Field, Textarea } from '../../../ui/field.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { useSession } from '../../shell/session.ts';
import { snippetsOf } from './snippets.ts';

/**
 * Shows the new token once, and how to use it. Not a dialog, because a click outside would close a dialog and the token
 * would be lost.
 */
export function CreatedKey({ made, onDone }: { made: CreatedApiKey; onDone(): void }) {
  const { service } = useSession();
  const token = useRef<HTMLTextAreaElement>(null);
  const [tab, setTab] = useState('curl');
  useEffect(() => {
    token.current?.focus();
    token.current?.select();
  }, []);
  const snippets = snippetsOf(made, service);
  return (
    <Card
      title={`${made.name}: copy the key now`}
      aside={<Button onClick={onDone}>Done</Button>}
      className="mb-6"
      isNew
    >
      <div className="grid grid-cols-1 gap-4">
        <div className="flex items-start gap-1">
          <Field
            label="API key"
            hint="You won’t see it again: Posthorn stores only a hash."
            className="min-w-0 flex-1"
          >
            <Textarea
              ref={token}
              readOnly
              rows={1}
              value={made.token}
              spellCheck={false}
              onFocus={(event) => event.target.select()}
              className="resize-none overflow-hidden font-mono wrap-anywhere field-sizing-content"
            />
          </Field>
          <Copy text={made.token} what="the token" className="mt-7" />
        </div>
        {snippets.length > 0 && (
          <Tabs
            label="Try it"
            value={tab}
            onChange={setTab}
            tabs={snippets.map(({ name, code }) => ({
              value: name,
              label: name,
              content: <CodeBlock code={code} label={`the ${name} example`} />,
            }))}
          />
        )}
      </div>
    </Card>
  );
}
